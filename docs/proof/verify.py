#!/usr/bin/env python3
"""Verifies a .waybill-proof, asking nobody. Needs Python 3.10 and the package cryptography. Formats: docs/proof.md.
    python3 verify.py order.waybill-proof [--policy FILE] [--vkey KEY] [--json FILE] [--file FILE] [--sender-key KEY] [--recipient-key KEY] [--authority HOST]
A line for each check (ok, FAIL with a reason, or - if it was not made). Exit status 0: verified, 1: wrong, 2: not a proof, 6: no trusted key."""
import argparse, base64, collections, datetime, decimal, hashlib, json, re, sys, urllib.parse
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
FAULTS = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, InvalidSignature)
FIELDS, TEXTS, IF_GIVEN = "files: from: id in_reply_to? json_sha256? received_at@ thread_id to:", ["type", "subject", "note"], []  # Of messages
TOLERANCE_S, CLOCKS_DIFFER_S, LATER = 600, 60, {"accepted": ["processed", "rejected"], "processed": [], "rejected": []}
COVERED, QUOTED, SPACE = {"@method", "@path", "content-digest"}, r'"[ !#-\[\]-~]*"', r"\s\0-\x1f\x7f-\x9f"  # SPACE: and control characters
COVERABLE = {*COVERED, "@authority", "idempotency-key", "waybill-recipient", "waybill-files", "content-type", "content-length"}
WEAK_KEYS = {"00" * 32, "01" + "00" * 31, *(first + "ff" * 30 + "7f" for first in ("ec", "ed", "ee")),  # Points of small order, without the sign
             "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"}
DIGESTS = r"[a-z*][a-z0-9_.*-]*=:[A-Za-z0-9+/]*={0,2}:([ \t]*,[ \t]*[a-z*][a-z0-9_.*-]*=:[A-Za-z0-9+/]*={0,2}:)*"
Policy = collections.namedtuple("Policy", "logs witnesses groups quorum shown")  # shown: the root of each tree that was seen
Place = collections.namedtuple("Place", "origin index size log witnesses text is_quorum")  # Of a leaf in a checkpoint
Link = collections.namedtuple("Link", "kind text said place")  # Of the chain of a message
class Open(str): pass  # A result that is neither proven nor wrong
class Fault(ValueError):
    def __init__(self, text, reason): super().__init__(text); self.reason = reason
def need(holds, text, reason="malformed"):
    if not holds: raise Fault(text, reason)
def show(text): print("".join(c if c.isprintable() else "?" for c in text))  # Files can have control characters of terminals
def sha(data): return hashlib.sha256(data).digest()
def named(text): return "sha256:" + sha(text.encode() if isinstance(text, str) else text).hex()
def b64(text): return need(base64.b64encode(base64.b64decode(text)).decode() == text, "not base64") or base64.b64decode(text)
def number(value):  # A number as ECMAScript writes it
    sign, digits, exponent = decimal.Decimal(repr(value + 0.0)).normalize().as_tuple()
    text, point = "".join(map(str, digits)), len(digits) + exponent
    if 0 < point <= 21: text = text.ljust(point, "0")[:point] + ("." + text[point:] if point < len(text) else "")
    else: text = "0." + "0" * -point + text if -6 < point <= 0 else text[0] + ("." + text[1:] if text[1:] else "") + f"e{point - 1:+d}"
    return "-" * sign + text
def canonical(value):  # RFC 8785. A lone surrogate is escaped
    def by_units(name): return name.encode("utf-16-be", "surrogatepass")
    if isinstance(value, dict): return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in sorted(value, key=by_units)) + "}"
    if isinstance(value, (list, float)): return "[" + ",".join(map(canonical, value)) + "]" if isinstance(value, list) else number(value)
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
def parse(text): return json.loads(text, parse_int=float, parse_constant=lambda name: need(False, "not JSON"))
def written(text, name):  # A member of a JSON object, as it is written
    at, found, between = text.index("{") + 1, "", re.compile(r"[\s,:]*")
    while text[at := between.match(text, at).end()] != "}":
        key, at = json.decoder.scanstring(text, at + 1)
        at = json.JSONDecoder().raw_decode(text, start := between.match(text, at).end())[1]
        if key == name: found = text[start:at]
    return found
def seconds(time): return datetime.datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()
def is_time(value): return re.fullmatch(r"\d{4}(-\d\d){2}T([01]\d|2[0-3])(:\d\d){2}\.\d{3}Z", value, re.ASCII) and seconds(value)
def is_count(value): return isinstance(value, float) and value.is_integer() and 0 <= value < 2**53
def is_text(value): return isinstance(value, str) and not re.search("[\ud800-\udfff]", value)
def is_list(value, most): return isinstance(value, list) and 0 < len(value) <= most
FORMS = {"@": is_time, "!": lambda value: isinstance(value, bool), "#": is_count, "?": lambda value: value is None or is_text(value), ":": lambda value: True,
         "+": lambda value: is_list(value, 3) and all(map(is_text, value))}
def strict(text, what, names, optional=""):  # A canonical JSON object with exactly these members
    return need(canonical(parse(text)) == text, f"{what} is not canonical JSON") or members(parse(text), what, names, optional)
def members(value, what, names, optional=""):  # Texts, or what FORMS says of the last character of the name
    forms = {re.sub("[@#?:+!]$", "", name): FORMS.get(name[-1], is_text) for name in f"{names} {optional}".split()}
    required = {re.sub("[@#?:+!]$", "", name) for name in names.split()}
    need(isinstance(value, dict) and required <= set(value) <= set(forms), f"{what} has other members than it should")
    return need(all(forms[name](value[name]) for name in value), f"{what} has a member of another form than it should") or value
# Parties, files and the envelope
IDS = {"handle": ("handle", "[a-z0-9-]+"), "domain": ("domain", f"[^@.{SPACE}]+(\\.[^@.{SPACE}]+)+"), "mailbox": ("email", f"[^{SPACE}]+@[^@{SPACE}]+")}  # None is of two kinds
def party(value):  # Its kind and id: the display name may have changed
    name, form = IDS[value["kind"]]
    need(re.fullmatch(form, members(value, "a party", f"kind display_name {name}")[name]), "a party has the id of another kind")
    return value["kind"], value[name]
def who(value): return value["party"], value["actor"]["id"]
def actor(value): members(value, "an actor", "email? id kind name provider verified!")
def envelope_of(text):
    told = strict(text, "the envelope", f"{FIELDS} {'? '.join(TEXTS)}?", f"json_bytes_sha256 expires_at@ {'? '.join([*IF_GIVEN, ''])}")
    actor(members(told["from"], "from", "party: actor:")["actor"]), members(told["to"], "to", "party:", "segment?")
    party(told["from"]["party"]), party(told["to"]["party"])
    ids = [members(file, "a file", "content_type filename id sha256? size_bytes#")["id"] for file in told["files"]]
    return need(len({*ids}) == len(ids) <= 100 and isinstance(told["files"], list) and len(text) <= 4_194_304, "too much, or an id twice") or told
# Keys, policies and logs
def ed25519(public, signature, message): Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
def is_weak(public): return bytes([*public[:-1], public[-1] & 127]).hex() in WEAK_KEYS
def vkey(text, kind):
    name, key_id, encoded = text.split("+", 2)
    is_named = re.fullmatch(r"[^\s+]+", name) and sha(name.encode() + b"\n" + (key := b64(encoded)))[:4].hex() == key_id
    need(is_named and len(key) == 33 and key[0] == kind, f"not a key of this kind: {text}")
    return need(not is_weak(key[1:]), f"anybody can make signatures of {name}", "weak-key") or (name, key_id, key[1:])
def vkey_text(log): return f"{log[0]}+{log[1]}+{base64.b64encode(bytes([1]) + log[2]).decode()}"
def policy_of(text):  # c2sp.org/tlog-policy
    logs, witnesses, groups, quorum = [], {}, {}, ""
    for words in map(str.split, text.split("\n")):
        match words:
            case ["log", key, *_]: logs.append(vkey(key, 1))
            case ["witness", name, key, *_]: witnesses[name] = vkey(key, 4)
            case ["group", name, count, *names]: groups[name] = {"any": 1, "all": len(names)}.get(count) or int(count), set(names)
            case ["quorum", name]: quorum = name
            case _: need(words == [] or words[0].startswith("#"), f"not understood in the policy: {words}")
    is_fair = len({key for *_, key in witnesses.values()}) == len(witnesses) and all(count > 0 for count, _ in groups.values())
    return need(is_fair, "the policy has a witness twice, or a group that asks for nobody") or Policy(logs, witnesses, groups, quorum, {})
def opened(note, logs, witnesses):  # c2sp.org/signed-note: gives the text, the logs that signed it, and the time of each witness
    need(len(note.encode()) <= 65_536 and note.endswith("\n") and not re.search("[\0-\t\v-\x1f\ud800-\udfff]", note), "not a signed note")
    text, lines = note[: note.rindex("\n\n") + 1], note[note.rindex("\n\n") + 2 : -1].split("\n")
    known = {log[:2]: (log, None) for log in logs} | {key[:2]: (key, witness) for witness, key in witnesses.items()}
    signed, cosigned, seen = need(len(lines) <= 64, "too many signatures") or {}, {}, set()
    for line in lines:
        dash, name, encoded = line.split(" ")
        signature, holder, said = b64(encoded), (name, b64(encoded)[:4].hex()), text
        need(dash == "—" and len(signature) > 4 and re.fullmatch(r"[^\s+]+", name), "not a signature line")
        if holder not in known: continue  # An unknown key says nothing
        need(holder not in seen, f"{name} signed twice", "signed-twice") or seen.add(holder)
        (_, _, public), witness = known[holder]
        if witness: said = f"cosignature/v1\ntime {(time := int.from_bytes(signature[4:12], 'big'))}\n{text}"
        need(not witness or time <= 253_402_300_799, f"{name} signed a time after the year 9999", "wrong-signature")
        ed25519(public, signature[12 if witness else 4 :], said.encode())
        cosigned.update({witness: time}) if witness else signed.update({name: known[holder][0]})
    return text, signed, cosigned
def included(proof, leaf, policy):  # c2sp.org/tlog-proof: gives the place of the leaf
    head, _, note = proof.partition("\n\n")
    first, at, *lines = head.split("\n")
    need(first == "c2sp.org/tlog-proof@v1" and re.fullmatch("index (0|[1-9][0-9]{0,15})", at) and len(lines) <= 54, "not a tlog-proof")
    index, path = int(at[6:]), [b64(line) for line in lines]
    origin, size, root, *more = note[: note.rindex("\n\n")].split("\n")
    is_size = re.fullmatch("0|[1-9][0-9]{0,15}", size) and int(size) < 2**53
    need(is_size and "" not in [origin, *more] and {32} == {*map(len, [b64(root), *path])}, "not a checkpoint")
    text, signed, witnesses = opened(note, policy.logs, policy.witnesses)
    need(origin in signed, "no log that you trust signed it", "unknown-log")
    def leads(holds): need(holds, "the proof does not lead to the root of the log", "not-in-the-log")
    node, last, at = leads(index < int(size)) or index, int(size) - 1, sha(b"\0" + leaf)
    for sibling in path:  # RFC 9162, 2.1.3.2
        leads(last > 0)
        is_right = node & 1 or node == last
        at = sha(b"\1" + (sibling + at if is_right else at + sibling))
        while is_right and not node & 1 and node: node, last = node >> 1, last >> 1
        node, last = node >> 1, last >> 1
    leads(last == 0 and at == b64(root))
    need(policy.shown.setdefault((origin, size), root) == root, "the log signed two trees of this size", "two-histories")
    met = {*witnesses, "none"}
    for group, (count, names) in policy.groups.items(): met |= {group} if len(met & names) >= count else set()
    return Place(origin, index, int(size), vkey_text(signed[origin]), witnesses, text, policy.quorum in met)
def logged(proof, kind, statement, policy):
    place = included(proof, bytes([kind]) + sha(statement.encode()), policy)
    return need(place.is_quorum, "not enough witnesses cosigned the checkpoint", "too-few-witnesses") or place
def age(place):  # A service ends a log before it begins the next one, such as .../log/2
    base, number = re.fullmatch("(.*?)(?:/([1-9][0-9]{0,8}))?", place.origin).groups()
    return base, int(number or 1)
def is_before(one, other):  # None: nobody can tell
    if not other or age(one)[0] != age(other)[0] or (age(one) == age(other) and one.origin != other.origin): return None
    return (age(one), one.index) < (age(other), other.index)
def host_of(origin): return origin.split("/")[0].lower()
def with_successors(policy, notes):  # The keys that trusted ones named as their successors
    said = [(strict(note[: note.rindex("\n\n")], "a succession", "at log new_key old_key statement"), note) for note in notes]
    need(all(one["statement"] == "key_succession" for one, _ in said), "a succession is another statement")
    named, queue = [(one["old_key"], one["log"], vkey(one["new_key"], 1), note) for one, note in said], list(policy.logs)
    for log in queue:
        need(len(own := [one for one in named if one[0] == vkey_text(log)]) < 2, "a key named two successors", "broken-succession")
        for _, origin, successor, note in own:
            try: signed = opened(note, [log], {})[1]
            except FAULTS: signed = []
            need(signed and origin == log[0] == successor[0], "a succession is not one of this log, by its key", "broken-succession")
            queue += [successor] * (successor not in queue)
    return policy._replace(logs=queue)
# Signed requests (RFC 9421)
class Verifier:  # What you trust, and what was found so far
    def __init__(self, policy, options, bundle):
        self.policy, self.options, self.bundle, self.failed, self.hash = policy, options, bundle, [], named(bundle["envelope"])
        self.is_trusted, self.times, self.links, self.place, self.hashes = bool(policy.logs), [], [], None, {}
        self.authorities = [host_of(bundle["log"]["origin"]), *map(str.lower, options.authority)]
        if not self.is_trusted: policy.logs.extend(vkey(log["vkey"], 1) for log in [bundle["log"], *bundle.get("other_logs", [])])
        policy.logs[:] = [log for log in policy.logs if host_of(log[0]) in self.authorities]  # Those of other services say nothing of this one
    def check(self, part, run, *arguments):
        try: mark, told = "ok  " if self.is_trusted else "-   ", run(*arguments) or ""
        except FAULTS as error:
            reason = getattr(error, "reason", "wrong-signature" if isinstance(error, InvalidSignature) else "malformed")
            mark, told = self.failed.append(part) or "FAIL", f"{reason}: {error}"
        return show(f"{'-   ' if isinstance(told, Open) else mark} {part} {told}") or mark != "FAIL"
    def signing_key(self, signature, owner, agent, at, place):  # Registered before what it signed, and not revoked by then
        key = strict(signature["key"], "the key", names := "agent at@ id party: public_key state")
        of, key_place = party(key["party"]), logged(signature["key_proof"], 4, signature["key"], self.policy)
        need(key["state"] == "registered", "the statement of the key is not its registration", "key-not-registered")
        need(of == party(owner) and key["agent"] == agent, "not a key of who acted", "key-of-somebody-else")
        need(not is_weak(b64(key["public_key"])), "a key for which anybody can make signatures", "weak-key")
        is_earlier = seconds(key["at"]) <= seconds(at) + CLOCKS_DIFFER_S and is_before(key_place, place) is not False
        need(is_earlier, "the key was registered after what it signed", "key-after-signature")
        if not (one := signature.get("revocation")): return key
        revoked, revoked_at = strict(one["statement"], "the revocation", names), logged(one["proof"], 4, one["statement"], self.policy)
        is_of_key = (*map(revoked.get, ["id", "public_key", "state"]), party(revoked["party"])) == (key["id"], key["public_key"], "revoked", of)
        need(is_of_key, "not the revocation of the key", "another-revocation")
        is_later = seconds(revoked["at"]) >= seconds(at) and not is_before(revoked_at, place)
        return need(is_later, f"the key was revoked at {revoked['at']}, before what it signed", "revoked-before") or key
    def signed(self, signature, path, owner, agent, at, place):  # Gives the key, the request's body, and what the signature leaves open
        key, values = self.signing_key(signature, owner, agent, at, place), signature["components"]
        form = rf"\(((?:{QUOTED}(?: {QUOTED})*)?)\)((?:;(?:created|expires)=-?[0-9]{{1,15}}|;(?:keyid|alg|nonce|tag)={QUOTED})*)"
        listed, parameters = re.fullmatch(form, need(len(text := signature["signature_input"]) <= 2048, "too long") or text).groups()
        names, given = re.findall('"([^"]*)"', listed), dict(pairs := re.findall(f";([a-z]+)=({QUOTED}|-?[0-9]+)", parameters))
        need(len(names) == len(set(names)) and len(pairs) == len(given), "a component or parameter is there twice")
        is_enough = COVERED | {"idempotency-key"} & set(values) <= set(names) <= COVERABLE and {"alg", "created", "keyid"} <= set(given)
        need(is_enough and given["alg"] == '"ed25519"', "the signature covers too little, or too much", "covers-too-little")
        need(re.fullmatch('"[A-Za-z0-9+/=_-]{16,64}"', given.get("nonce", '"' + "0" * 16 + '"')), "not a nonce")
        need(given["keyid"] == f'"{key["id"]}"', "the signature names another key", "another-key-id")
        is_then = abs(seconds(at) - int(given["created"])) <= TOLERANCE_S and seconds(at) <= int(given.get("expires", 10**15)) + CLOCKS_DIFFER_S
        need(is_then, "the signature was made at another time, or had expired", "another-time")
        is_plain = all(re.fullmatch("[\x20-\x7e]*", value) and value.strip() == value for value in values.values())
        need(set(names) == set(values) and is_plain, "the components are not those that the signature covers", "other-components")
        need((values["@method"], values["@path"]) == ("POST", path), "another request was signed", "another-request")
        digest = f"sha-256=:{base64.b64encode(sha(signature['body'].encode())).decode()}:"
        need(len(header := values["content-digest"]) <= 2048 and re.fullmatch(DIGESTS, header), "not a digest of the body")
        need(digest in re.split(r"[ \t]*,[ \t]*", header), "another body was signed", "another-body")
        lines = [f'"{name}": {values[name]}' for name in names] + [f'"@signature-params": {signature["signature_input"]}']
        ed25519(b64(key["public_key"]), b64(signature["signature"]), "\n".join(lines).encode())
        need(values.get("@authority", self.authorities[0]) in self.authorities, "signed for another service", "another-service")
        need(isinstance(body := parse(signature["body"]), dict), "the body is not a JSON object")
        return key, body, ["the service"] * ("@authority" not in values) + ["a nonce"] * ("nonce" not in given)
    def sender(self, signature, envelope):
        key, body, left = self.signed(signature, "/v1/messages", *who(envelope["from"]), at := envelope["received_at"], self.place)
        same = all(body.get(name) == envelope.get(name) for name in ["in_reply_to", *TEXTS, *IF_GIVEN])
        same &= envelope["json_sha256"] == (named(canonical(body["json"])) if "json" in body else None)
        same &= envelope.get("json_bytes_sha256") in (None, named(written(signature["body"], "json")))
        limit, given = envelope.get("expires_at"), body.get("expires_in")
        is_timed = limit is not None and isinstance(given, float)
        same &= abs(seconds(limit) - seconds(at) - given) <= CLOCKS_DIFFER_S if is_timed else limit is None and given is None
        need(same, "the signed request is not that of this message", "another-content")
        files, values, uploads, to = envelope["files"], signature["components"], body.get("files"), body.get("to")
        need(len(uploads if isinstance(uploads, list) else []) == len(files), "another number of files", "other-files")
        need(not isinstance(to, str) or is_address(to, envelope["to"]), "the signed request is to another recipient", "another-recipient")
        host = re.sub(":[0-9]+$", "", values.get("@authority", ""))
        if "waybill-recipient" not in values: left.append("the recipient")
        else: need(is_recipient(decoded(values["waybill-recipient"]), envelope["to"]["party"], host), "signed for another recipient", "another-recipient")
        hashes = [self.hashes[file["id"]] for file in files]
        if "waybill-files" not in values or None in hashes: left += ["the files"] * bool(files)
        else: need(values["waybill-files"] == named("".join(f"{one}\n" for one in hashes)), "signed with other files", "other-files")
        return (Open if left else str)(f"by {key['id']}" + (", not covered: " + ", ".join(left) if left else ""))
    def keys(self, role, signature, known, what):  # Asked for also where nothing is signed, if you gave keys
        if signature is None: return need(not known, f"you gave keys of the {role}, who has not signed {what}", "not-signed")
        id, key = parse(signature["key"])["id"], parse(signature["key"])["public_key"]
        need(not known or {id, key} & set(known), f"{id} is not a key that you gave", "another-key")
        return f"{id} is a key that you gave" if known else Open(f"{id} {key}: that it is theirs is the word of the log")
    def domain(self, signature):
        one, key = signature["domain"], parse(signature["key"])
        said = strict(one["statement"], "the domain", "at@ domain keys: party: state")
        logged(one["proof"], 6, one["statement"], self.policy)
        is_of_key = said["state"] == "bound" and party(said["party"]) == party(key["party"]) and key["public_key"] in said["keys"]
        return need(is_of_key, "not about the signing key", "another-domain-key") or f"{said['domain']} vouches for {key['id']}, since {said['at']}, by the word of the log"
    def check_keys(self, role, signature, what):
        known = self.options.sender_key if role == "sender" else self.options.recipient_key
        if signature or known: self.check("key", self.keys, role, signature, known, what)
        if signature and "domain" in signature: self.check("key", self.domain, signature)
    def link(self, kind, leaf, one, envelope, own):  # Of the chain of a message: hand-overs, acknowledgements and non-delivery
        is_numbered = kind != "acknowledgement" or bool({"number", "previous"} & set(parse(one["statement"])))
        said = strict(one["statement"], f"the {kind}", f"at@ content_hash message party: {own}" + " number# previous?" * is_numbered)
        is_same, to = (said["message"], said["content_hash"]) == (envelope["id"], self.hash), party(envelope["to"]["party"])
        need(is_same, "a statement of another message", "another-message")
        need(party(said["party"]) == to or to[0] != "handle", "not by the recipient", "not-the-recipient")
        place = logged(one["proof"], leaf, one["statement"], self.policy)
        is_seen = seconds(said["at"]) <= min([*place.witnesses.values()], default=2**53) + CLOCKS_DIFFER_S
        return need(is_seen, f"of {said['at']}, after a witness saw it", "dated-after-proof") or Link(kind, one["statement"], said, place)
    def hand_over(self, one, envelope):
        need(parse(one["statement"]).get("way") in ("webhook", "consumer"), "an unknown way")
        self.links.append(link := self.link("hand-over", 7, one, envelope, "way"))
        return Open(f"to {party(link.said['party'])[1]} by {link.said['way']} at {link.said['at']}: the service's word")
    def acknowledgement(self, one, envelope):
        actor(parse(one["statement"])["actor"])
        link = self.link("acknowledgement", 3, one, envelope, "actor: reason? status")
        said, by, left = link.said, ", not signed: the service's word", ["the recipient"] * (party(link.said["party"]) != party(envelope["to"]["party"]))
        need(said["status"] in LATER, f"the status {said['status']} is unknown", "unknown-status")
        if "signature" in one:
            key, body, more = self.signed(one["signature"], f"/v1/messages/{said['message']}/acknowledge", *who(said), said["at"], link.place)
            is_said = (body.get("status"), body.get("reason"), body.get("content_hash", said["content_hash"]))
            need(is_said == (said["status"], said["reason"], said["content_hash"]), "the signed request says something else", "another-content")
            is_number = [body.get("number"), type(body.get("number"))] == [said.get("number"), float]
            need(is_number or "number" not in body, "the signed request has another number", "another-number")
            left, by = ["the content"] * (not {"content_hash", "number"} <= set(body)) + more + left, f", signed with {key['id']}"
        told = f"{said['status']} by {party(said['party'])[1]} at {said['at']}{by}" + ", not covered: " * bool(left) + ", ".join(left)
        return self.links.append(link) or (Open if left or "signature" not in one else str)(told)
    def expiry(self, one, envelope):
        limit = (link := self.link("expiry", 8, one, envelope, "expires_at@")).said["expires_at"]
        need(limit == envelope.get("expires_at"), "another time limit than that of the message", "another-content")
        need(seconds(link.said["at"]) >= seconds(limit), "from before the time limit of the message", "expired-early")
        return self.links.append(link) or Open(f"nobody took the message by {limit}: the service's word")
    def chain(self, envelope):
        links = sorted(self.links, key=lambda link: link.said.get("number", 0))
        numbered, before = [link for link in links if "number" in link.said], None
        for at, link in enumerate(numbered, 1):
            need(at == 1 or link.said["number"] != at - 1, f"two statements have the number {at - 1}", "chain-repeat")
            need(link.said["number"] == at, f"the statement {at} is missing", "chain-gap")
            need(link.said["previous"] == before, f"the statement {at} does not follow the one before", "chain-broken")
            before = named(link.text)
        status, last = None, seconds(envelope["received_at"])
        for at, link in enumerate(links):
            need(seconds(link.said["at"]) + CLOCKS_DIFFER_S >= last, f"a statement of {link.said['at']} comes after a later one", "chain-time")
            last = max(last, seconds(link.said["at"]))
            earlier = links[at - 1].place if at > 0 else self.place if "number" in link.said else None
            need(not earlier or is_before(earlier, link.place) is not False, "not in this order in the log", "chain-order")
            need(link.kind != "expiry" or at == 0, "the message was taken before it expired", "expired-after-delivery")
            if link.kind != "acknowledgement": continue
            need(status is None or LATER[status], f"{link.said['status']} comes after {status}, which is final", "after-the-end")
            need(status is None or link.said["status"] in LATER[status], f"{link.said['status']} comes after {status}", "status-order")
            status = link.said["status"]
        if len(numbered) < len(links): return Open("from before acknowledgements were numbered: one among them may be missing")
        return f"numbered from 1 to {len(links)} without a gap. What came later is not in the file"
    def shown(self, proof, leaf):  # Nothing, if only another key of a log that you trust has signed the checkpoint
        try: return included(proof, leaf, self.policy)
        except Fault as fault:
            if fault.reason != "unknown-log" or proof.partition("\n\n")[2].split("\n")[0] not in [log[0] for log in self.policy.logs]: raise
    def imprinted(self, one, imprint):  # Compares the hash and gives the time; docs/proof.md has the command for the signature
        token = b64(one["token"][:87_385])  # A longer one is cut to a length that no base64 has
        need((at := token.find(imprint)) >= 0, "the timestamp is of something else", "another-checkpoint")
        return "{}{}-{}-{}T{}:{}:{}Z".format(*re.findall("..", re.search(rb"\x18[\x0f-\x1f](\d{14})(\.\d+)?Z", token[at:])[1].decode()))
    def stamped(self, one, envelope):
        if not (place := self.shown(one["proof"], b"\1" + sha(self.bundle["envelope"].encode()))):
            return Open("of a checkpoint that no key of the log which you trust has signed")
        time, before, text = self.imprinted(one, b"\x04\x20" + sha(place.text.encode())), one, place.text
        need(seconds(time) + CLOCKS_DIFFER_S >= seconds(envelope["received_at"]), f"of {time}, before the message was received", "before-the-message")
        for renewal in one.get("renewals", []):
            said = strict(renewal["statement"], "a renewal", "at@ checkpoint crls: size# token")
            is_named = [said["checkpoint"], said["token"]] == [named(text), named(b64(before["token"]))]
            need(is_named and {named(b64(crl)) for crl in before.get("crls", [])} <= {*said["crls"]}, "a renewal is of another timestamp", "another-token")
            if not (later := self.shown(renewal["proof"], b"\x09" + sha(renewal["statement"].encode()))): break
            self.imprinted(before := renewal, b"\x04\x20" + sha((text := later.text).encode()))
        return self.times.extend(place.witnesses.values()) or Open(f"{time}, signature not checked: use openssl ts -verify")
    def renewed(self, at):  # A timestamp of the file without this renewal and those after it
        text = canonical({name: value[:at] if name == "renewals" else value for name, value in self.bundle.items() if at or name != "renewals"})
        time = self.imprinted(self.bundle["renewals"][at], b"\x04\x40" + hashlib.sha512(text.encode()).digest())
        return Open(f"the file was there at {time}, signature not checked: use openssl ts -verify")
    def first_time(self, envelope):  # The first that does not come from the service
        if not self.times: return Open(f"that it was received at {envelope['received_at']} is the service's word")
        first = datetime.datetime.fromtimestamp(min(self.times), datetime.timezone.utc).isoformat()
        delay = min(self.times) - seconds(received := envelope["received_at"])
        need(delay + CLOCKS_DIFFER_S >= 0, f"a witness saw it at {first}, before it was received at {received}", "received-after-proof")
        if delay > TOLERANCE_S: return Open(f"a witness saw it at {first}. That it was received at {received} is the service's word")
        return f"a witness saw it at {first}, at most 10 minutes after it was received"
    def later(self, one, envelope):  # A large file, which was hashed after delivery
        said = strict(one["statement"], "a file", "file message sha256 size_bytes#")
        is_same = (said["file"], said["sha256"], said["message"]) == (one["id"], one["sha256"], envelope["id"])
        is_open = self.hashes.get(one["id"], "") is None and (one["id"], said["size_bytes"]) in [(file["id"], file["size_bytes"]) for file in envelope["files"]]
        need(is_same and is_open, "the envelope leaves no such hash open", "another-file")
        logged(one["proof"], 2, one["statement"], self.policy)
        return self.hashes.update({one["id"]: one["sha256"]}) or f"the hash of {one['id']} is in the log"
    def own_file(self, name):
        found = [id for id, hash in self.hashes.items() if hash == named(open(name, "rb").read())]
        return need(found, f"{name} is not a file of the message", "another-file") or f"{name} is {found[0]}"
    def inclusion(self):
        self.place = included(self.bundle["proof"], b"\1" + sha(self.bundle["envelope"].encode()), self.policy)
        return self.times.extend(self.place.witnesses.values()) or f"leaf {self.place.index} of {self.place.size} in {self.place.log}"
    def log(self): need(self.place.origin == self.bundle["log"]["origin"], "the log is another than the file names", "another-log")
    def witnesses(self):
        return need(self.place.is_quorum, "too few witnesses", "too-few-witnesses") or ", ".join(self.place.witnesses) or Open("your policy asks for none")
    def successions(self): self.policy = with_successors(self.policy, self.bundle["successions"])
def decoded(header): return need(re.fullmatch("(?:[^%]|%[0-9A-Fa-f]{2})*", header), "not percent-encoded") or urllib.parse.unquote(header, errors="strict")
def is_recipient(address, recipient, host):  # An address at the service's own host is that of a handle
    (kind, id), (name, _, domain) = party(recipient), address.rpartition("@")
    if address == id.lower(): return True
    return name != "" and domain == id.lower() if kind == "domain" else kind == "handle" and domain == host and name.split("+")[0] == id.lower()
def is_address(to, recipient):  # globex, globex/orders, @globex, or a mail address. Without a segment, it is to none
    address, (kind, id) = to.lower().removeprefix("@"), party(recipient["party"])
    if kind != "handle": return is_recipient(address, recipient["party"], None)
    found = re.fullmatch("([^/@+]+)(?:[/+]([^/@+]+))?(?:@[^@]+)?", address)
    return bool(found) and found[1] == id and found[2] == recipient.get("segment")
def same_json(text, envelope, is_given):  # That of the message: in a proof to the byte, and given by you perhaps written in another way
    is_exact = named(text.strip() if is_given else text) == envelope.get("json_bytes_sha256", envelope["json_sha256"])
    try: hash = named(canonical(parse(text)))
    except FAULTS: hash = ""
    need((is_exact or is_given) and envelope["json_sha256"] == hash, "not the JSON of the message", "another-json")
    if is_exact or "json_bytes_sha256" not in envelope: return ""
    def sole(is_so): need(is_so, "not the bytes that were sent, and with repeated keys or rounded numbers: others may read another value", "ambiguous-json")
    def exact(digits): sole(decimal.Decimal(digits) == decimal.Decimal(repr(float(digits))))
    json.loads(text, parse_int=exact, parse_float=exact, object_pairs_hook=lambda pairs: sole(len(pairs) == len(dict(pairs))))
    return Open("the same value, but not the same bytes: it is written in another way than it was sent")
def request(value):
    members(value, "a signature", "key key_proof signature_input signature body components:", "revocation: domain:")
    for name in {"revocation", "domain"} & {*value}: members(value[name], name, "statement proof")
    members(value["components"], "the components", " ".join(value["components"]))
def bundle_of(text):  # Everything in it must be known
    lists = {"other_logs": "origin vkey", "files": "id sha256 statement proof", "timestamps": "proof token", "hand_overs": "statement proof",
             "acknowledgements": "statement proof", "renewals": "hash token", "successions": None}
    more = {"acknowledgements": "signature:", "timestamps": "crls+ renewals:", "renewals": "crls+"}
    bundle = strict(text, "the file", "format envelope log: proof", "json signature: expiry: " + ": ".join([*lists, ""]))
    for name in lists.keys() & bundle.keys():
        need(is_list(bundle[name], {"hand_overs": 900, "renewals": 20}.get(name, 100)), f"not a list of {name}")
        for one in bundle[name]: members(one, name, lists[name], more.get(name, "")) if lists[name] else need(is_text(one), "not a list of texts")
    for log in [bundle["log"], *bundle.get("other_logs", [])]:
        need(vkey(members(log, "a log", "origin vkey")["vkey"], 1)[0] == log["origin"], "the origin of a log is not the name of its key")
    for one in [bundle, *bundle.get("acknowledgements", [])]: request(one["signature"]) if "signature" in one else None
    if "expiry" in bundle: members(bundle["expiry"], "the non-delivery", "statement proof")
    need({"sha512"} >= {one["hash"] for one in bundle.get("renewals", [])}, "a renewal by another hash")
    renewals = [one["renewals"] for one in bundle.get("timestamps", []) if "renewals" in one]
    for one in need(all(is_list(value, 20) for value in renewals), "not a list of renewals") or sum(renewals, []): members(one, "a renewal", "statement proof token", "crls+")
    return need(bundle["format"] == "waybill-proof/1", "not waybill-proof/1") or bundle
def main(options):
    need(len(data := open(options.proof, "rb").read(8_388_609)) <= 8_388_608, "the file is too large")
    for key in [*options.sender_key, *options.recipient_key]: need(re.fullmatch("sgk_[A-Za-z0-9_]{1,100}", key) or len(b64(key)) == 32, f"not a key: {key}")
    policy = policy_of(open(options.policy).read() if options.policy else "quorum none")
    policy.logs.extend(vkey(key, 1) for key in options.vkey)
    verifier = Verifier(policy, options, bundle := bundle_of(data.decode().removesuffix("\n")))
    check, failed = verifier.check, verifier.failed
    def each(name): return bundle.get(name, [])
    check("content", lambda: envelope_of(bundle["envelope"])["id"] + " " + named(bundle["envelope"]))
    if "successions" in bundle: check("log", verifier.successions)
    check("inclusion", verifier.inclusion)
    if verifier.place: check("log", verifier.log), check("witnesses", verifier.witnesses)
    if "content" not in failed:
        envelope = envelope_of(bundle["envelope"])
        verifier.hashes = {file["id"]: file["sha256"] for file in envelope["files"]}
        if "json" in bundle: check("json", same_json, bundle["json"], envelope, False)
        if options.json: check("json", lambda: same_json(open(options.json, encoding="utf-8", newline="").read(), envelope, True))
        for one in each("files"): check("file", verifier.later, one, envelope)
        for name in options.file: check("file", verifier.own_file, name)
        if "signature" in bundle: check("signature", verifier.sender, bundle["signature"], envelope)
        if "signature" not in failed: verifier.check_keys("sender", bundle.get("signature"), "the message")
        for one in each("hand_overs"): check("hand-over", verifier.hand_over, one, envelope)
        for one in each("acknowledgements"):
            if check("acknowledgement", verifier.acknowledgement, one, envelope): verifier.check_keys("recipient", one.get("signature"), "an acknowledgement")
        if "expiry" in bundle: check("expiry", verifier.expiry, bundle["expiry"], envelope)
        if 0 < len(each("hand_overs")) + len(each("acknowledgements")) + ("expiry" in bundle) == len(verifier.links): check("chain", verifier.chain, envelope)
        for at, _ in enumerate(each("renewals")): check("time", verifier.renewed, at)
        for one in each("timestamps"): check("time", verifier.stamped, one, envelope)
        check("time", verifier.first_time, envelope)
    if failed or verifier.is_trusted: return print("Not verified" if failed else "Verified") or (1 if failed else 0)
    return print("Not verified: no trusted key. Give --vkey or --policy, with a key that you did not get with the file") or 6
sys.setrecursionlimit(10_000)  # JSON has up to 1,000 levels
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("proof", "--policy", "--json"): parser.add_argument(option)
    for option in ("--vkey", "--file", "--sender-key", "--recipient-key", "--authority"): parser.add_argument(option, action="append", default=[])
    try: sys.exit(main(parser.parse_args()))
    except (*FAULTS, OSError) as error: sys.exit(show(f"Unusable: {error}") or 2)
