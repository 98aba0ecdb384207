package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A verifier of .waybill-proof files. Of timestamps, it compares hash and time, and leaves the signature to OpenSSL.

const (
	toleranceS    = 600
	clocksDifferS = 60
)

type verifier struct {
	policy      *policy
	given       given
	bundle      object
	envelope    object
	contentHash string
	isTrusted   bool
	authorities []string
	message     *place
	hashes      map[string]any
	links       []link
	times       []float64
	// failed has each part that failed, with its reason.
	failed map[string]bool
	// open has each part of what parties and service say that is not proven: the word of the service, or signed in part.
	open map[string]bool
}

func (v *verifier) check(part string, run func()) bool {
	reason := reasonOf(run)
	if reason != "" {
		v.failed[part+" "+reason] = true
	}
	return reason == ""
}

func hostOf(origin string) string {
	host, _, _ := strings.Cut(strings.ToLower(origin), "/")
	return host
}

func (v *verifier) report() {
	v.contentHash = named(v.bundle.text("envelope"))
	v.authorities = []string{hostOf(v.bundle.object("log").text("origin"))}
	for _, name := range v.given.Authorities {
		v.authorities = append(v.authorities, strings.ToLower(name))
	}
	logs := v.policy.logs
	if !v.isTrusted {
		for _, log := range append([]any{v.bundle["log"]}, v.bundle.list("other_logs")...) {
			logs = append(logs, vkeyOf(log.(object).text("vkey"), 1))
		}
	}
	// Those of other services say nothing of this one.
	v.policy.logs = slices.DeleteFunc(logs, func(log verifierKey) bool { return !slices.Contains(v.authorities, hostOf(log.name)) })
	canRead := v.check("content", func() { v.envelope = envelopeOf(v.bundle.text("envelope")) })
	if v.bundle.has("successions") {
		v.check("log", func() { v.policy = v.policy.withSuccessors(v.bundle.list("successions")) })
	}
	v.check("inclusion", v.inclusion)
	if v.message != nil {
		v.check("log", func() {
			need(v.message.origin == v.bundle.object("log").text("origin"), "another-log", "the log is another than the file names")
		})
		v.check("witnesses", func() { need(v.message.isQuorum, "too-few-witnesses", "not enough witnesses cosigned the checkpoint") })
	}
	if canRead {
		v.contents()
	}
}

func (v *verifier) inclusion() {
	found := v.policy.included(v.bundle.text("proof"), 1, v.bundle.text("envelope"))
	v.message = found
	v.addTimes(found)
}

func (v *verifier) addTimes(found *place) {
	for _, time := range found.witnesses {
		v.times = append(v.times, time)
	}
}

func (v *verifier) contents() {
	if v.bundle.has("json") {
		v.check("json", v.json)
	}
	v.hashes = map[string]any{}
	for _, file := range v.envelope.list("files") {
		v.hashes[file.(object).text("id")] = file.(object)["sha256"]
	}
	for _, one := range v.bundle.list("files") {
		v.check("file", func() { v.laterHash(one.(object)) })
	}
	signature := v.bundle.object("signature")
	if signature == nil || v.check("signature", func() { v.sender(signature) }) {
		v.keys(signature, v.given.SenderKeys)
	}
	v.chain()
	for at := range v.bundle.list("renewals") {
		v.check("time", func() { v.renewed(at) })
	}
	for _, one := range v.bundle.list("timestamps") {
		v.check("time", func() { v.timestamp(one.(object)) })
	}
	v.check("time", v.firstTime)
}

func (v *verifier) json() {
	text, hash := v.bundle.text("json"), ""
	// A text without a canonical form is not that of any message.
	reasonOf(func() { hash = named(canonical(parseJSON(text))) })
	need(v.envelope["json_sha256"] == hash, "another-json", "not the JSON of the message")
	exact, has := v.envelope["json_bytes_sha256"]
	need(named(text) == exact || !has && named(text) == v.envelope["json_sha256"], "another-json", "not the bytes of the JSON")
}

// laterHash reads the statement of a large file, which was hashed after delivery.
func (v *verifier) laterHash(one object) {
	said := strict(one.text("statement"), "a file", "file message sha256 size_bytes#", "")
	isSame := said.text("file") == one.text("id") && said.text("sha256") == one.text("sha256") && said.text("message") == v.envelope.text("id")
	hash, isOfMessage := v.hashes[one.text("id")]
	for _, file := range v.envelope.list("files") {
		if file := file.(object); file.text("id") == one.text("id") {
			isSame = isSame && file["size_bytes"] == said["size_bytes"]
		}
	}
	need(isSame && isOfMessage && hash == nil, "another-file", "the envelope leaves no such hash open")
	v.policy.logged(one.text("proof"), 2, one.text("statement"))
	v.hashes[one.text("id")] = one.text("sha256")
}

// signer is who must have signed a request, and what became of it.
type signer struct {
	party any
	agent string
	at    string
	path  string
	place *place
}

// signingKey was registered before what it signed, and not revoked by then.
func (v *verifier) signingKey(signature object, by signer) object {
	const names = "agent at@ id party: public_key state"
	key := strict(signature.text("key"), "the key", names, "")
	registered := v.policy.logged(signature.text("key_proof"), 4, signature.text("key"))
	need(key.text("state") == "registered", "key-not-registered", "the statement of the key is not its registration")
	need(partyOf(key["party"]) == partyOf(by.party) && key.text("agent") == by.agent, "key-of-somebody-else", "not a key of who acted")
	need(!isWeak(b64(key.text("public_key"))), "weak-key", "anybody can make signatures of this key")
	isEarlier := seconds(key.text("at")) <= seconds(by.at)+clocksDifferS && !isNotBefore(registered, by.place)
	need(isEarlier, "key-after-signature", "the key was registered after what it signed")
	if one := signature.object("revocation"); one != nil {
		said := strict(one.text("statement"), "the revocation", names, "")
		revoked := v.policy.logged(one.text("proof"), 4, one.text("statement"))
		isOfKey := said.text("id") == key.text("id") && said.text("public_key") == key.text("public_key") && partyOf(said["party"]) == partyOf(key["party"])
		need(isOfKey && said.text("state") == "revoked", "another-revocation", "not the revocation of the key")
		before, isKnown := isBefore(revoked, by.place)
		need(seconds(said.text("at")) >= seconds(by.at) && !(before && isKnown), "revoked-before", "the key was revoked before what it signed")
	}
	return key
}

// signed gives the body of the request, and whether the signature covers the service and a nonce.
func (v *verifier) signed(signature object, by signer) (body object, isWhole bool) {
	key, components := v.signingKey(signature, by), signature.object("components")
	parameters := parametersOf(signature.text("signature_input"))
	parameters.requireCoverage(components)
	need(parameters.given["keyid"] == `"`+key.text("id")+`"`, "another-key-id", "the signature names another key")
	parameters.requireTime(by.at)
	parameters.requireComponents(components)
	isRequest := components.text("@method") == "POST" && components.text("@path") == by.path
	need(isRequest, "another-request", "another request was signed")
	header := components.text("content-digest")
	need(len(header) <= 2_048 && digestsForm.MatchString(header), "malformed", "not a digest of the body")
	digests := regexp.MustCompile(`[ \t]*,[ \t]*`).Split(header, -1)
	need(slices.Contains(digests, digestOf(signature.text("body"))), "another-body", "another body was signed")
	parameters.requireSigned(key, signature)
	isHere := !components.has("@authority") || slices.Contains(v.authorities, components.text("@authority"))
	need(isHere, "another-service", "signed for another service")
	body, isObject := parseJSON(signature.text("body")).(object)
	need(isObject, "malformed", "the body is not an object")
	return body, components.has("@authority") && parameters.given["nonce"] != ""
}

func (v *verifier) sender(signature object) {
	from, at := v.envelope.object("from"), v.envelope.text("received_at")
	body, isWhole := v.signed(signature, signer{from["party"], from.object("actor").text("id"), at, "/v1/messages", v.message})
	isSame := true
	for _, name := range slices.Concat([]string{"in_reply_to"}, alwaysHashed, hashedIfGiven) {
		_, isList := body[name].([]any)
		_, isObject := body[name].(object)
		isSame = isSame && !isList && !isObject && body[name] == v.envelope[name]
	}
	var hash any
	if body.has("json") {
		hash = named(canonical(body["json"]))
	}
	exact, has := v.envelope["json_bytes_sha256"]
	isSame = isSame && hash == v.envelope["json_sha256"]
	isSame = isSame && (!has || exact == named(readJSON(signature.text("body")).spans["json"])) && v.isTimeLimit(body["expires_in"], at)
	need(isSame, "another-content", "the signed request is not that of this message")
	files, uploads := v.envelope.list("files"), body.list("files")
	need(len(files) == len(uploads), "other-files", "another number of files")
	components, to := signature.object("components"), v.envelope.object("to")
	address, isText := body["to"].(string)
	need(!isText || isAddress(address, to), "another-recipient", "the signed request is to another recipient")
	if components.has("waybill-recipient") {
		name, err := url.PathUnescape(components.text("waybill-recipient"))
		need(err == nil && utf8.ValidString(name), "malformed", "the recipient is not percent-encoded")
		host := regexp.MustCompile(`:\d+$`).ReplaceAllString(components.text("@authority"), "")
		need(isRecipient(name, partyOf(to["party"]), host), "another-recipient", "signed for another recipient")
	}
	coversFiles := v.requireFiles(components, files)
	v.open["signature"] = !isWhole || !components.has("waybill-recipient") || !coversFiles
}

// requireFiles compares the hashes of files, and tells whether the signature covers all of them.
func (v *verifier) requireFiles(components object, files []any) bool {
	lines := ""
	for _, file := range files {
		hash, isKnown := v.hashes[file.(object).text("id")].(string)
		if !isKnown {
			return false
		}
		lines += hash + "\n"
	}
	need(!components.has("waybill-files") || components.text("waybill-files") == named(lines), "other-files", "signed with other files")
	return components.has("waybill-files") || len(files) == 0
}

func (v *verifier) isTimeLimit(given any, at string) bool {
	limit, isLimited := v.envelope["expires_at"].(string)
	span, isGiven := given.(float64)
	if !isLimited || !isGiven {
		return !isLimited && given == nil
	}
	return math.Abs(seconds(limit)-seconds(at)-span) <= clocksDifferS
}

var addressForm = regexp.MustCompile(`^([^/@+]+)(?:[/+]([^/@+]+))?(?:@[^@]+)?$`)

// isAddress: globex, globex/orders, @globex, or a mail address. Without a segment, it is to none.
func isAddress(to string, recipient object) bool {
	address, party := strings.TrimPrefix(strings.ToLower(to), "@"), partyOf(recipient["party"])
	if party.kind != "handle" {
		return isRecipient(address, party, "")
	}
	parts := addressForm.FindStringSubmatch(address)
	segment, _ := recipient["segment"].(string)
	return parts != nil && parts[1] == party.id && parts[2] == segment
}

// isRecipient: an address at the service's own host is that of a handle.
func isRecipient(address string, recipient party, host string) bool {
	id := strings.ToLower(recipient.id)
	if address == id {
		return true
	}
	at := strings.LastIndex(address, "@")
	if at < 1 {
		return false
	}
	name, _, _ := strings.Cut(address[:at], "+")
	isAtService := recipient.kind == "handle" && address[at+1:] == host && name == id
	return recipient.kind == "domain" && address[at+1:] == id || isAtService
}

// keys compares the key with those that the caller gave, which are asked for also where nothing is signed.
func (v *verifier) keys(signature object, known []string) {
	v.check("key", func() {
		need(signature != nil || len(known) == 0, "not-signed", "you gave a key of who has not signed")
		if len(known) > 0 {
			key := parseJSON(signature.text("key")).(object)
			need(slices.Contains(known, key.text("id")) || slices.Contains(known, key.text("public_key")), "another-key", "not a key that you gave")
		}
	})
	if one := signature.object("domain"); one != nil {
		v.check("key", func() {
			key, said := parseJSON(signature.text("key")).(object), strict(one.text("statement"), "the domain", "at@ domain keys: party: state", "")
			v.policy.logged(one.text("proof"), 6, one.text("statement"))
			isOfKey := partyOf(said["party"]) == partyOf(key["party"]) && slices.Contains(said.list("keys"), key["public_key"])
			need(isOfKey && said.text("state") == "bound", "another-domain-key", "not about the signing key")
		})
	}
}

var stampTime = regexp.MustCompile(`(?s)\x18[\x0f-\x1f](\d{14})(?:\.\d+)?Z`)

// shown gives nothing, if only another key of a log that you trust has signed the checkpoint.
func (v *verifier) shown(proof string, kind byte, statement string) *place {
	var found *place
	reason := reasonOf(func() { found = v.policy.included(proof, kind, statement) })
	if reason == "unknown-log" {
		_, note, _ := strings.Cut(proof, "\n\n")
		origin, _, _ := strings.Cut(note, "\n")
		if slices.ContainsFunc(v.policy.logs, func(log verifierKey) bool { return log.name == origin }) {
			return nil
		}
	}
	need(reason == "", reason, "the timestamp is of no checkpoint that has the statement")
	return found
}

// imprinted gives the time of a token that has this hash.
func imprinted(text string, imprint []byte) time.Time {
	token := b64(text)
	at := bytes.Index(token, imprint)
	need(len(token) <= 65_536, "malformed", "the timestamp is too long")
	need(at >= 0, "another-checkpoint", "the timestamp is of something else")
	stated := stampTime.FindSubmatch(token[at:])
	need(stated != nil, "malformed", "the timestamp has no time")
	when, err := time.Parse("20060102150405", string(stated[1]))
	need(err == nil, "malformed", "the timestamp has no time")
	return when
}

func imprintOf(text string) []byte {
	hash := sha256.Sum256([]byte(text))
	return append([]byte{0x04, 0x20}, hash[:]...)
}

// timestamp compares hash and time of a token.
func (v *verifier) timestamp(one object) {
	found := v.shown(one.text("proof"), 1, v.bundle.text("envelope"))
	if found == nil {
		return
	}
	when := imprinted(one.text("token"), imprintOf(found.text))
	isLater := float64(when.Unix())+clocksDifferS >= seconds(v.envelope.text("received_at"))
	need(isLater, "before-the-message", "the timestamp is from before the message was received")
	before, text := one, found.text
	for _, renewal := range one.list("renewals") {
		renewal := renewal.(object)
		requireNamed(strict(renewal.text("statement"), "a renewal", "at@ checkpoint crls: size# token", ""), before, text)
		later := v.shown(renewal.text("proof"), 9, renewal.text("statement"))
		if later == nil {
			break
		}
		imprinted(renewal.text("token"), imprintOf(later.text))
		before, text = renewal, later.text
	}
	v.addTimes(found)
}

// requireNamed compares the statement of a renewal with the timestamp before, what that one stamps, and the lists beside it.
func requireNamed(said, before object, text string) {
	isNamed := said.text("checkpoint") == named(text) && said.text("token") == named(string(b64(before.text("token"))))
	for _, crl := range before.list("crls") {
		isNamed = isNamed && slices.Contains(said.list("crls"), any(named(string(b64(crl.(string))))))
	}
	need(isNamed, "another-token", "a renewal is of another timestamp")
}

// renewed checks a timestamp of the file without this renewal and those after it.
func (v *verifier) renewed(at int) {
	file := maps.Clone(v.bundle)
	renewals := file.list("renewals")
	delete(file, "renewals")
	if at > 0 {
		file["renewals"] = renewals[:at]
	}
	hash := sha512.Sum512([]byte(canonical(file)))
	imprinted(renewals[at].(object).text("token"), append([]byte{0x04, 0x40}, hash[:]...))
}

func (v *verifier) firstTime() {
	if len(v.times) == 0 {
		return
	}
	isLater := slices.Min(v.times)+clocksDifferS >= seconds(v.envelope.text("received_at"))
	need(isLater, "received-after-proof", "a witness saw it before %s", v.envelope.text("received_at"))
}
