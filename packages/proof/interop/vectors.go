package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// The vectors of docs/proof/vectors: this program finds the verdict of each file, which the test compares with the expected one.

type vector struct {
	Name, File, Trust string
	Given             given
}

type given struct {
	SenderKeys    []string `json:"sender_keys"`
	RecipientKeys []string `json:"recipient_keys"`
	Authorities   []string
}

type finding struct {
	Name    string   `json:"name"`
	Verdict string   `json:"verdict"`
	Failed  []string `json:"failed"`
	// Unchecked has the parts of what parties and service say that are not proven.
	Unchecked []string `json:"unchecked"`
}

func vectors(folder string) {
	findings := []finding{}
	policyText, vkey := read(folder, "policy.txt"), strings.TrimSpace(read(folder, "vkey.txt"))
	for _, list := range []string{"vectors.json", "forgeries/forgeries.json"} {
		var all []vector
		must(json.Unmarshal([]byte(read(folder, list)), &all))
		for _, one := range all {
			trusted := policyOf("quorum none")
			switch one.Trust {
			case "policy":
				trusted = policyOf(policyText)
			case "vkey":
				trusted.logs = append(trusted.logs, vkeyOf(vkey, 1))
			}
			found := verifyFile(read(folder, filepath.Join(filepath.Dir(list), one.File)), trusted, one.Given)
			found.Name = one.Name
			findings = append(findings, found)
		}
	}
	must(json.NewEncoder(os.Stdout).Encode(findings))
}

func read(folder, name string) string {
	data, err := os.ReadFile(filepath.Join(folder, name))
	must(err)
	return string(data)
}

func verifyFile(data string, trusted *policy, given given) finding {
	var bundle object
	if reasonOf(func() { bundle = bundleOf(data) }) != "" {
		return finding{Verdict: "unusable", Failed: []string{}, Unchecked: []string{}}
	}
	v := &verifier{policy: trusted, given: given, bundle: bundle, failed: map[string]bool{}, open: map[string]bool{}, isTrusted: len(trusted.logs) > 0}
	v.report()
	found := finding{Verdict: "untrusted", Failed: []string{}, Unchecked: []string{}}
	if v.isTrusted {
		found.Verdict = "verified"
	}
	if len(v.failed) > 0 {
		found.Verdict = "failed"
	}
	for failure := range v.failed {
		found.Failed = append(found.Failed, failure)
	}
	for part, isOpen := range v.open {
		if isOpen {
			found.Unchecked = append(found.Unchecked, part)
		}
	}
	sort.Strings(found.Failed)
	sort.Strings(found.Unchecked)
	return found
}
