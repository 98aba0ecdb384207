package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// fault is why something does not hold, with its reason from packages/proof/src/reasons.ts.
type fault struct{ reason, text string }

func need(holds bool, reason, format string, arguments ...any) {
	if !holds {
		panic(fault{reason, fmt.Sprintf(format, arguments...)})
	}
}

func named(text string) string {
	hash := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(hash[:])
}

func b64(text string) []byte {
	bytes, err := base64.StdEncoding.Strict().DecodeString(text)
	need(err == nil && base64.StdEncoding.EncodeToString(bytes) == text, "malformed", "not base64 in its one form")
	return bytes
}

const timeForm = "2006-01-02T15:04:05.000Z"

func isTime(text string) bool {
	parsed, err := time.Parse(timeForm, text)
	return err == nil && parsed.Year() > 0 && parsed.Format(timeForm) == text
}

func seconds(text string) float64 {
	parsed, err := time.Parse(timeForm, text)
	need(err == nil, "malformed", "not a time: %s", text)
	return float64(parsed.UnixMilli()) / 1000
}

// members reads an object that has exactly these members. The last character of a name says what its value is: @ a time, # a count, ? a text or
// null, : anything, + a list of up to three texts, and otherwise a text.
func members(value any, what, names, optional string) object {
	found, isObject := value.(object)
	need(isObject, "malformed", "%s is not an object", what)
	forms := map[string]byte{}
	for i, list := range []string{names, optional} {
		for _, name := range strings.Fields(list) {
			plain := strings.TrimRight(name, "@#?:+")
			forms[plain] = name[len(name)-1]
			_, has := found[plain]
			need(has || i == 1, "malformed", "%s lacks %s", what, plain)
		}
	}
	for name, value := range found {
		form, isKnown := forms[name]
		need(isKnown && hasForm(value, form), "malformed", "%s has a member that it should not have, or of another form: %s", what, name)
	}
	return found
}

func hasForm(value any, form byte) bool {
	text, isText := value.(string)
	number, isNumber := value.(float64)
	switch form {
	case ':':
		return true
	case '#':
		return isNumber && number >= 0 && number < 1<<53 && number == math.Trunc(number)
	case '@':
		return isText && isTime(text)
	case '+':
		texts, isList := value.([]any)
		isOther := func(one any) bool { return !hasForm(one, 0) }
		return isList && len(texts) > 0 && len(texts) <= 3 && !slices.ContainsFunc(texts, isOther)
	case '?':
		return value == nil || isText && !hasLoneSurrogate(text)
	}
	return isText && !hasLoneSurrogate(text)
}

func strict(text, what, names, optional string) object {
	value := parseJSON(text)
	need(canonical(value) == text, "malformed", "%s is not canonical JSON", what)
	return members(value, what, names, optional)
}

func (o object) text(name string) string {
	text, _ := o[name].(string)
	return text
}

func (o object) object(name string) object {
	inner, _ := o[name].(object)
	return inner
}

func (o object) list(name string) []any {
	list, _ := o[name].([]any)
	return list
}

func (o object) has(name string) bool {
	_, has := o[name]
	return has
}

type party struct{ kind, id string }

// No id can be of two kinds.
var idForms = map[string]*regexp.Regexp{
	"handle": regexp.MustCompile(`^[a-z0-9-]+$`),
	// Separators and control characters: \s is only that of ASCII.
	"domain":  regexp.MustCompile(`^[^@.\p{Z}\p{Cc}]+(?:\.[^@.\p{Z}\p{Cc}]+)+$`),
	"mailbox": regexp.MustCompile(`^[^\p{Z}\p{Cc}]+@[^@\p{Z}\p{Cc}]+$`),
}

func partyOf(value any) party {
	kind := members(value, "a party", "kind display_name", "handle domain email").text("kind")
	name := map[string]string{"handle": "handle", "domain": "domain", "mailbox": "email"}[kind]
	need(name != "", "malformed", "a party of an unknown kind")
	id := members(value, "a party", "kind display_name "+name, "").text(name)
	need(idForms[kind].MatchString(id), "malformed", "a party has an id of another kind")
	return party{kind, id}
}

func requireActor(value any) {
	_, isFlag := members(value, "an actor", "email? id kind name provider verified:", "")["verified"].(bool)
	need(isFlag, "malformed", "an actor is neither verified nor not")
}

// The texts of a message that the sender writes. A new field is one of hashedIfGiven.
var (
	alwaysHashed  = []string{"type", "subject", "note"}
	hashedIfGiven = []string{}
)

func envelopeOf(text string) object {
	need(utf8.RuneCountInString(text) <= 4_194_304, "malformed", "the envelope is too long")
	const names = "files: from: id in_reply_to? json_sha256? received_at@ thread_id to: "
	told := strict(text, "the envelope", names+strings.Join(alwaysHashed, "? ")+"?", "json_bytes_sha256 expires_at@ "+strings.Join(hashedIfGiven, " "))
	from := members(told["from"], "from", "party: actor:", "")
	to := members(told["to"], "to", "party:", "segment?")
	partyOf(from["party"])
	partyOf(to["party"])
	requireActor(from["actor"])
	files, isList := told["files"].([]any)
	need(isList && len(files) <= 100, "malformed", "not a list of files")
	ids := map[string]bool{}
	for _, file := range files {
		ids[members(file, "a file", "content_type filename id sha256? size_bytes#", "").text("id")] = true
	}
	need(len(ids) == len(files), "malformed", "two files have one id")
	return told
}

const (
	bundleBytesMax = 8_388_608
	renewalsMax    = 20
)

// bundleOf reads a bundle. Everything in it must be known.
func bundleOf(data string) object {
	need(len(data) <= bundleBytesMax, "malformed", "the file is too large")
	const statement = "statement proof"
	lists := map[string][2]string{
		"other_logs": {"origin vkey", ""}, "files": {"id sha256 statement proof", ""}, "timestamps": {"proof token", "crls+ renewals:"},
		"hand_overs": {statement, ""}, "acknowledgements": {statement, "signature:"}, "renewals": {"hash token", "crls+"},
	}
	bundle := strict(strings.TrimSuffix(data, "\n"), "the file", "format envelope log: proof",
		"json signature: expiry: successions: other_logs: files: timestamps: renewals: hand_overs: acknowledgements:")
	for name, value := range bundle {
		if _, isList := value.([]any); isList || name == "successions" || lists[name][0] != "" {
			most := map[string]int{"hand_overs": 900, "renewals": renewalsMax}[name]
			if most == 0 {
				most = 100
			}
			need(isList && len(bundle.list(name)) > 0 && len(bundle.list(name)) <= most, "malformed", "not a list of %s", name)
		}
		for _, one := range bundle.list(name) {
			if name == "successions" {
				need(hasForm(one, 0), "malformed", "not a list of texts")
			} else {
				members(one, name, lists[name][0], lists[name][1])
			}
		}
	}
	for _, log := range append([]any{bundle["log"]}, bundle.list("other_logs")...) {
		log := members(log, "a log", "origin vkey", "")
		need(vkeyOf(log.text("vkey"), 1).name == log.text("origin"), "malformed", "the origin of a log is not the name of its key")
	}
	for _, one := range append([]any{bundle}, bundle.list("acknowledgements")...) {
		if one.(object).has("signature") {
			requireSignature(one.(object)["signature"])
		}
	}
	for _, one := range bundle.list("renewals") {
		need(one.(object).text("hash") == "sha512", "malformed", "a renewal by another hash")
	}
	for _, one := range bundle.list("timestamps") {
		requireRenewals(one.(object))
	}
	if bundle.has("expiry") {
		members(bundle["expiry"], "the non-delivery", statement, "")
	}
	need(bundle.text("format") == "waybill-proof/1", "malformed", "not waybill-proof/1")
	return bundle
}

func requireRenewals(stamp object) {
	renewals := stamp.list("renewals")
	isList := len(renewals) > 0 && len(renewals) <= renewalsMax
	need(isList || !stamp.has("renewals"), "malformed", "not a list of renewals")
	for _, one := range renewals {
		members(one, "a renewal", "statement proof token", "crls+")
	}
}

func requireSignature(value any) {
	signature := members(value, "a signature", "key key_proof signature_input signature body components:", "revocation: domain:")
	for _, name := range []string{"revocation", "domain"} {
		if signature.has(name) {
			members(signature[name], name, "statement proof", "")
		}
	}
	components, isObject := signature["components"].(object)
	need(isObject, "malformed", "the components are not an object")
	for name, value := range components {
		need(hasForm(value, 0), "malformed", "the component %s is not a text", name)
	}
}
