// Command interop checks with the libraries of others that what Waybill writes is what they read: signed notes and trees by golang.org/x/mod/sumdb,
// proofs by transparency-dev/merkle, checkpoints and cosignatures by transparency-dev/formats. It reads a description as JSON from stdin, and
// writes a note of its own for Waybill to open. `interop vectors <folder>` is a verifier of .waybill-proof files on these libraries: it writes its
// verdicts of docs/proof/vectors as JSON.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/transparency-dev/formats/log"
	fnote "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type description struct {
	Origin      string
	Vkey        string
	Witnesses   []string
	Checkpoints []struct {
		Note      string
		IsGood    bool
		Cosigners int
	}
	// Notes are read by note.Open with one key.
	NoteVkey string
	Notes    []struct {
		What     string
		Note     string
		Expected string
	}
	Size       uint64
	Root       []byte
	Inclusions []struct {
		Index  uint64
		Size   uint64
		Root   []byte
		Leaf   []byte
		Hashes [][]byte
		IsGood bool
	}
	Consistencies []struct {
		OldSize uint64
		OldRoot []byte
		Size    uint64
		Root    []byte
		Hashes  [][]byte
		IsGood  bool
	}
	Tiles []struct {
		Path string
		Data []byte
	}
	FromTiles struct {
		Index       int64
		Inclusion   [][]byte
		OldSize     int64
		Consistency [][]byte
	}
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "vectors" {
		vectors(os.Args[2])
		return
	}
	var d description
	must(json.NewDecoder(os.Stdin).Decode(&d))
	checkpoints(d)
	notes(d)
	inclusions(d)
	consistencies(d)
	tiles(d)
	fmt.Fprintf(os.Stderr, "%d checkpoints, %d notes, %d inclusion proofs, %d consistency proofs, %d tiles\n", len(d.Checkpoints), len(d.Notes), len(d.Inclusions), len(d.Consistencies), len(d.Tiles))
	secret, vkey, err := note.GenerateKey(rand.Reader, "go.example.com/log")
	must(err)
	signer, err := note.NewSigner(secret)
	must(err)
	text := "go.example.com/log\n" + fmt.Sprint(d.Size) + "\n" + base64.StdEncoding.EncodeToString(d.Root) + "\n"
	signed, err := note.Sign(&note.Note{Text: text}, signer)
	must(err)
	must(json.NewEncoder(os.Stdout).Encode(map[string]string{"vkey": vkey, "note": string(signed)}))
}

func checkpoints(d description) {
	own, err := note.NewVerifier(d.Vkey)
	must(err)
	var others []note.Verifier
	for _, vkey := range d.Witnesses {
		witness, err := fnote.NewVerifierForCosignatureV1(vkey)
		must(err)
		others = append(others, witness)
	}
	for i, one := range d.Checkpoints {
		_, err := note.Open([]byte(one.Note), note.VerifierList(own))
		expect(one.IsGood, err, "note.Open of checkpoint %d", i)
		found, _, opened, err := log.ParseCheckpoint([]byte(one.Note), d.Origin, own, others...)
		expect(one.IsGood, err, "log.ParseCheckpoint of checkpoint %d", i)
		if one.IsGood && (found.Origin != d.Origin || len(opened.Sigs) != 1+one.Cosigners) {
			fail("checkpoint %d has %d known signatures", i, len(opened.Sigs))
		}
	}
}

func notes(d description) {
	own, err := note.NewVerifier(d.NoteVkey)
	must(err)
	for _, one := range d.Notes {
		_, err := note.Open([]byte(one.Note), note.VerifierList(own))
		if found := reasonOf(func() { requireOpened(err) }); found != one.Expected {
			fail("note.Open of a note with %s: %q, expected %q", one.What, found, one.Expected)
		}
	}
}

func inclusions(d description) {
	for i, one := range d.Inclusions {
		hash := rfc6962.DefaultHasher.HashLeaf(one.Leaf)
		expect(one.IsGood, proof.VerifyInclusion(rfc6962.DefaultHasher, one.Index, one.Size, hash, one.Hashes, one.Root), "proof.VerifyInclusion %d", i)
		err := tlog.CheckRecord(hashes(one.Hashes), int64(one.Size), hashOf(one.Root), int64(one.Index), tlog.RecordHash(one.Leaf))
		expect(one.IsGood, err, "tlog.CheckRecord %d", i)
	}
}

func consistencies(d description) {
	for i, one := range d.Consistencies {
		err := proof.VerifyConsistency(rfc6962.DefaultHasher, one.OldSize, one.Size, one.Hashes, one.OldRoot, one.Root)
		expect(one.IsGood, err, "proof.VerifyConsistency %d", i)
		err = tlog.CheckTree(hashes(one.Hashes), int64(one.Size), hashOf(one.Root), int64(one.OldSize), hashOf(one.OldRoot))
		expect(one.IsGood, err, "tlog.CheckTree %d", i)
	}
}

// tileReader has tiles by the path of c2sp.org/tlog-tiles, which leaves out the height of Go's path.
type tileReader map[string][]byte

func (r tileReader) Height() int { return 8 }
func (r tileReader) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range wanted {
		found, ok := r[strings.Replace(tile.Path(), "tile/8/", "tile/", 1)]
		if !ok {
			return nil, fmt.Errorf("there is no %s", tile.Path())
		}
		data = append(data, found)
	}
	return data, nil
}
func (r tileReader) SaveTiles([]tlog.Tile, [][]byte) {}

// tiles lets Go read our tiles, which it compares with the root, and compute proofs of its own from them.
func tiles(d description) {
	reader := tileReader{}
	for _, tile := range d.Tiles {
		reader[tile.Path] = tile.Data
	}
	tree := tlog.Tree{N: int64(d.Size), Hash: hashOf(d.Root)}
	all := tlog.TileHashReader(tree, reader)
	root, err := tlog.TreeHash(tree.N, all)
	must(err)
	if root != tree.Hash {
		fail("tlog.TreeHash has another root")
	}
	record, err := tlog.ProveRecord(tree.N, d.FromTiles.Index, all)
	must(err)
	same(record, d.FromTiles.Inclusion, "tlog.ProveRecord")
	consistency, err := tlog.ProveTree(tree.N, d.FromTiles.OldSize, all)
	must(err)
	same(consistency, d.FromTiles.Consistency, "tlog.ProveTree")
}

func same(theirs []tlog.Hash, ours [][]byte, what string) {
	if len(theirs) != len(ours) {
		fail("%s has %d hashes, ours has %d", what, len(theirs), len(ours))
	}
	for i, hash := range theirs {
		if !bytes.Equal(hash[:], ours[i]) {
			fail("%s has another hash %d", what, i)
		}
	}
}

func hashOf(data []byte) (hash tlog.Hash) {
	copy(hash[:], data)
	return
}

func hashes(data [][]byte) (all []tlog.Hash) {
	for _, one := range data {
		all = append(all, hashOf(one))
	}
	return
}

func expect(isGood bool, err error, format string, arguments ...any) {
	if isGood != (err == nil) {
		fail(format+": expected %v, but: %v", append(arguments, isGood, err)...)
	}
}

func must(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func fail(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
	os.Exit(1)
}
