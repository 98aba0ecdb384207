package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// parameters of a signature (RFC 9421), in their one canonical form.
type parameters struct {
	names []string
	given map[string]string
}

const digest = `[a-z*][a-z0-9_.*-]*=:[A-Za-z0-9+/]*={0,2}:`
const quoted = `"[ !#-\[\]-~]*"`

var (
	inputForm     = regexp.MustCompile(`^\(((?:` + quoted + `(?: ` + quoted + `)*)?)\)((?:;[a-z][a-z0-9_-]*=(?:` + quoted + `|-?\d{1,15}))*)$`)
	parameterForm = regexp.MustCompile(`;([a-z0-9_-]+)=(` + quoted + `|-?\d+)`)
	nonceForm     = regexp.MustCompile(`^"[A-Za-z0-9+/=_-]{16,64}"$`)
	digestsForm   = regexp.MustCompile(`^` + digest + `(?:[ \t]*,[ \t]*` + digest + `)*$`)
	plainForm     = regexp.MustCompile(`^[\x20-\x7e]*$`)
	covered       = []string{"@method", "@path", "content-digest"}
	coverable     = append(covered, "@authority", "idempotency-key", "waybill-recipient", "waybill-files", "content-type", "content-length")
)

func parametersOf(text string) parameters {
	parts := inputForm.FindStringSubmatch(text)
	need(parts != nil && len(text) <= 2_048, "malformed", "not the parameters of a signature")
	read := parameters{given: map[string]string{}}
	for _, name := range regexp.MustCompile(`"[^"]*"`).FindAllString(parts[1], -1) {
		need(!slices.Contains(read.names, strings.Trim(name, `"`)), "malformed", "a component is there twice")
		read.names = append(read.names, strings.Trim(name, `"`))
	}
	for _, pair := range parameterForm.FindAllStringSubmatch(parts[2], -1) {
		isText := strings.HasPrefix(pair[2], `"`)
		known := map[bool][]string{true: {"keyid", "alg", "nonce", "tag"}, false: {"created", "expires"}}[isText]
		need(slices.Contains(known, pair[1]) && read.given[pair[1]] == "", "malformed", "a parameter is there twice, or unknown")
		read.given[pair[1]] = pair[2]
	}
	return read
}

func (p parameters) requireCoverage(components object) {
	required := covered
	if components.has("idempotency-key") {
		required = append(slices.Clone(covered), "idempotency-key")
	}
	for _, name := range required {
		need(slices.Contains(p.names, name), "covers-too-little", "the signature does not cover %s", name)
	}
	for _, name := range p.names {
		need(slices.Contains(coverable, name), "covers-too-little", "the signature covers %s", name)
	}
	need(p.given["alg"] == `"ed25519"` && p.given["created"] != "" && p.given["keyid"] != "", "covers-too-little", "a parameter is missing")
}

func (p parameters) requireTime(at string) {
	created, _ := strconv.ParseFloat(p.given["created"], 64)
	delay := seconds(at) - created
	need(delay >= -toleranceS && delay <= toleranceS, "another-time", "the signature was made at another time")
	if expires, err := strconv.ParseFloat(p.given["expires"], 64); err == nil {
		need(seconds(at) <= expires+clocksDifferS, "another-time", "the signature had expired")
	}
	need(p.given["nonce"] == "" || nonceForm.MatchString(p.given["nonce"]), "malformed", "not a nonce")
}

func (p parameters) requireComponents(components object) {
	isSame := len(p.names) == len(components)
	for _, name := range p.names {
		value, has := components[name].(string)
		isSame = isSame && has && plainForm.MatchString(value) && strings.TrimSpace(value) == value
	}
	need(isSame, "other-components", "the components are not those that the signature covers")
}

func (p parameters) requireSigned(key object, signature object) {
	lines := []string{}
	for _, name := range p.names {
		lines = append(lines, `"`+name+`": `+signature.object("components").text(name))
	}
	base := strings.Join(append(lines, `"@signature-params": `+signature.text("signature_input")), "\n")
	public, bytes := b64(key.text("public_key")), b64(signature.text("signature"))
	need(len(public) == ed25519.PublicKeySize && len(bytes) == ed25519.SignatureSize, "malformed", "not a signature of Ed25519")
	need(ed25519.Verify(public, []byte(base), bytes), "wrong-signature", "the signature is wrong")
}

func digestOf(body string) string {
	hash := sha256.Sum256([]byte(body))
	return "sha-256=:" + base64.StdEncoding.EncodeToString(hash[:]) + ":"
}
