package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	fnote "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
)

// Keys, policies, notes and proofs. Signatures and trees are verified by the libraries of others; they allow more forms than Waybill does, which are
// refused here.

type verifierKey struct {
	name, id, text string
	note.Verifier
}

type group struct {
	name    string
	count   int
	members []string
}

type policy struct {
	logs      []verifierKey
	witnesses map[string]verifierKey
	groups    []group
	quorum    string
	// shown has the root of each tree that was seen.
	shown map[string]string
}

// timeMaxS is the end of the year 9999: calendars of programs have no later day.
const timeMaxS = 253_402_300_799

// place is that of a leaf in a checkpoint.
type place struct {
	origin, text string
	index        uint64
	size         uint64
	log          string
	witnesses    map[string]float64
	isQuorum     bool
}

// firstSeen is the time of the first witness, or the end of time.
func (p *place) firstSeen() float64 {
	first := math.Inf(1)
	for _, time := range p.witnesses {
		first = min(first, time)
	}
	return first
}

var numberedLog = regexp.MustCompile(`^(.*)/([1-9]\d{0,8})$`)

// age: a service ends a log before it begins the next one, such as waybill.example.com/log/2.
func (p *place) age() (name string, number int) {
	parts := numberedLog.FindStringSubmatch(p.origin)
	if parts == nil {
		return p.origin, 1
	}
	number, err := strconv.Atoi(parts[2])
	must(err)
	return parts[1], number
}

// isBefore: one leaf was logged before the other. Of leaves in two logs, nobody can tell, unless the logs have numbers.
func isBefore(one, other *place) (isBefore, isKnown bool) {
	if one == nil || other == nil {
		return false, false
	}
	if one.origin == other.origin {
		return one.index < other.index, true
	}
	name, number := one.age()
	otherName, otherNumber := other.age()
	return number < otherNumber, name == otherName && number != otherNumber
}

func isNotBefore(one, other *place) bool {
	before, isKnown := isBefore(one, other)
	return isKnown && !before
}

// weakKeys are the points of small order, without their sign.
var weakKeys = map[string]bool{
	strings.Repeat("00", 32): true, "01" + strings.Repeat("00", 31): true,
	"ec" + strings.Repeat("ff", 30) + "7f": true, "ed" + strings.Repeat("ff", 30) + "7f": true, "ee" + strings.Repeat("ff", 30) + "7f": true,
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05": true,
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a": true,
}

func isWeak(public []byte) bool {
	unsigned := append([]byte{}, public...)
	if len(unsigned) > 0 {
		unsigned[len(unsigned)-1] &= 0x7f
	}
	return weakKeys[hex.EncodeToString(unsigned)]
}

func vkeyOf(text string, kind byte) verifierKey {
	parts := strings.SplitN(text, "+", 3)
	need(len(parts) == 3, "malformed", "not a key: %s", text)
	bytes := b64(parts[2])
	hash := sha256.Sum256(append([]byte(parts[0]+"\n"), bytes...))
	need(len(bytes) == 33 && bytes[0] == kind && hex.EncodeToString(hash[:4]) == parts[1], "malformed", "not a key of this kind: %s", text)
	need(!isWeak(bytes[1:]), "weak-key", "anybody can make signatures of %s", parts[0])
	open := map[byte]func(string) (note.Verifier, error){
		1: note.NewVerifier,
		4: func(text string) (note.Verifier, error) { return fnote.NewVerifierForCosignatureV1(text) },
	}[kind]
	verifier, err := open(text)
	need(err == nil, "malformed", "not a key: %v", err)
	return verifierKey{parts[0], parts[1], text, verifier}
}

// policyOf reads c2sp.org/tlog-policy.
func policyOf(text string) *policy {
	read := &policy{witnesses: map[string]verifierKey{}, shown: map[string]string{}}
	for _, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(words[0], "#"):
		case words[0] == "log" && len(words) > 1:
			read.logs = append(read.logs, vkeyOf(words[1], 1))
		case words[0] == "witness" && len(words) > 2:
			read.witnesses[words[1]] = vkeyOf(words[2], 4)
		case words[0] == "group" && len(words) > 3:
			count, err := strconv.Atoi(words[2])
			switch words[2] {
			case "any":
				count, err = 1, nil
			case "all":
				count, err = len(words)-3, nil
			}
			need(err == nil && count > 0, "malformed", "a group without a threshold")
			read.groups = append(read.groups, group{words[1], count, words[3:]})
		case words[0] == "quorum" && len(words) == 2:
			read.quorum = words[1]
		default:
			need(false, "malformed", "not understood in the policy: %s", line)
		}
	}
	return read
}

func (p *policy) isQuorum(witnesses map[string]float64) bool {
	met := map[string]bool{"none": true}
	for name := range witnesses {
		met[name] = true
	}
	for _, group := range p.groups {
		count := 0
		for _, member := range group.members {
			if met[member] {
				count++
			}
		}
		if count >= group.count {
			met[group.name] = true
		}
	}
	return met[p.quorum]
}

// signatureLines refuses what note.Open reads in more than one form, and a second line of a known key, which note.Open drops.
func signatureLines(text string, known []verifierKey) {
	separator := strings.LastIndex(text, "\n\n")
	need(separator >= 0 && strings.HasSuffix(text, "\n") && len(text) <= 65_536, "malformed", "not a signed note")
	lines := strings.Split(strings.TrimSuffix(text[separator+2:], "\n"), "\n")
	need(len(lines) <= 64, "malformed", "too many signatures")
	seen := map[string]bool{}
	for _, line := range lines {
		words := strings.Split(line, " ")
		need(len(words) == 3 && words[0] == "—", "malformed", "not a signature line")
		bytes := b64(words[2])
		need(len(bytes) > 4, "malformed", "a signature line without a signature")
		holder := words[1] + "+" + hex.EncodeToString(bytes[:4])
		for _, key := range known {
			if holder == key.name+"+"+key.id {
				need(!seen[holder], "signed-twice", "%s signed twice", key.name)
				seen[holder] = true
			}
		}
	}
}

func opened(text string, known ...verifierKey) *note.Note {
	signatureLines(text, known)
	verifiers := []note.Verifier{}
	for _, key := range known {
		verifiers = append(verifiers, key.Verifier)
	}
	found, err := note.Open([]byte(text), note.VerifierList(verifiers...))
	requireOpened(err)
	return found
}

func requireOpened(err error) {
	var wrong *note.InvalidSignatureError
	var unknown *note.UnverifiedNoteError
	need(!errors.As(err, &wrong), "wrong-signature", "%v", err)
	need(!errors.As(err, &unknown), "unknown-log", "no key that you trust signed it")
	need(err == nil, "malformed", "%v", err)
}

var count = regexp.MustCompile(`^(0|[1-9]\d{0,15})$`)

func countOf(text string) uint64 {
	number, err := strconv.ParseUint(text, 10, 53)
	need(count.MatchString(text) && err == nil, "malformed", "not a number below 2^53: %s", text)
	return number
}

func hashLine(line string) []byte {
	hash := b64(line)
	need(len(hash) == 32, "malformed", "a hash has not 32 bytes")
	return hash
}

// included reads a proof of c2sp.org/tlog-proof, and gives the place of the leaf.
func (p *policy) included(text string, kind byte, statement string) *place {
	head, checkpoint, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	isProof := len(lines) >= 2 && len(lines) <= 56 && lines[0] == "c2sp.org/tlog-proof@v1" && strings.HasPrefix(lines[1], "index ")
	need(isProof, "malformed", "not a tlog-proof")
	index := countOf(strings.TrimPrefix(lines[1], "index "))
	path := [][]byte{}
	for _, line := range lines[2:] {
		path = append(path, hashLine(line))
	}
	separator := strings.LastIndex(checkpoint, "\n\n")
	need(separator >= 0, "malformed", "a checkpoint without signatures")
	body := strings.Split(checkpoint[:separator], "\n")
	need(len(body) >= 3, "malformed", "not a checkpoint")
	for i, line := range body {
		need(line != "" || i == 1 || i == 2, "malformed", "a checkpoint with an empty line")
	}
	origin, size, root := body[0], countOf(body[1]), hashLine(body[2])
	known := p.logs
	for _, witness := range p.witnesses {
		known = append(known[:len(known):len(known)], witness)
	}
	opened := opened(checkpoint, known...)
	found := &place{origin: origin, text: opened.Text, index: index, size: size, witnesses: map[string]float64{}}
	p.readSigners(opened, found)
	need(found.log != "", "unknown-log", "no log that you trust signed the checkpoint")
	leaf := sha256.Sum256([]byte(statement))
	hash := rfc6962.DefaultHasher.HashLeaf(append([]byte{kind}, leaf[:]...))
	err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, size, hash, path, root)
	need(err == nil, "not-in-the-log", "the proof does not lead to the root of the log")
	tree := fmt.Sprintf("%s\n%d", origin, size)
	before, isShown := p.shown[tree]
	need(!isShown || before == body[2], "two-histories", "the log signed two trees of this size")
	p.shown[tree] = body[2]
	found.isQuorum = p.isQuorum(found.witnesses)
	return found
}

func (p *policy) readSigners(opened *note.Note, found *place) {
	for _, signature := range opened.Sigs {
		for _, log := range p.logs {
			if log.Name() == signature.Name && log.KeyHash() == signature.Hash && log.name == found.origin {
				found.log = log.text
			}
		}
		for name, witness := range p.witnesses {
			if witness.Name() == signature.Name && witness.KeyHash() == signature.Hash {
				bytes, err := base64.StdEncoding.DecodeString(signature.Base64)
				must(err)
				time := binary.BigEndian.Uint64(bytes[4:12])
				need(time <= timeMaxS, "wrong-signature", "%s signed a time after the year 9999", name)
				found.witnesses[name] = float64(time)
			}
		}
	}
}

func (p *policy) logged(proof string, kind byte, statement string) *place {
	found := p.included(proof, kind, statement)
	need(found.isQuorum, "too-few-witnesses", "not enough witnesses cosigned the checkpoint")
	return found
}

// withSuccessors adds the keys that trusted ones named as their successors.
func (p *policy) withSuccessors(notes []any) *policy {
	type succession struct {
		oldKey, log string
		newKey      verifierKey
		note        string
	}
	named := []succession{}
	for _, one := range notes {
		text := one.(string)
		separator := strings.LastIndex(text, "\n\n")
		need(separator >= 0, "malformed", "a succession is not a note")
		said := strict(text[:separator], "a succession", "at log new_key old_key statement", "")
		need(said.text("statement") == "key_succession", "malformed", "a succession is another statement")
		named = append(named, succession{said.text("old_key"), said.text("log"), vkeyOf(said.text("new_key"), 1), text})
	}
	more := *p
	more.logs = append([]verifierKey{}, p.logs...)
	for i := 0; i < len(more.logs); i++ {
		key, own := more.logs[i], []succession{}
		for _, one := range named {
			if one.oldKey == key.text {
				own = append(own, one)
			}
		}
		need(len(own) < 2, "broken-succession", "a key named two successors")
		for _, one := range own {
			isSigned := reasonOf(func() { opened(one.note, key) }) == ""
			need(isSigned && one.log == key.name && one.newKey.name == key.name, "broken-succession", "not of this log, by its key")
			if !more.trusts(one.newKey) {
				more.logs = append(more.logs, one.newKey)
			}
		}
	}
	return &more
}

func (p *policy) trusts(key verifierKey) bool {
	for _, log := range p.logs {
		if log.text == key.text {
			return true
		}
	}
	return false
}

// reasonOf runs a check, and gives the reason for which it failed, or nothing.
func reasonOf(run func()) (reason string) {
	defer func() {
		switch problem := recover().(type) {
		case nil:
		case fault:
			reason = problem.reason
		default:
			panic(problem)
		}
	}()
	run()
	return ""
}
