#!/usr/bin/env python3
"""Verifies a .waybill-proof, asking nobody. Needs Python 3.10 and the package cryptography. Formats: docs/proof.md.
    python3 verify.py order.waybill-proof [--policy FILE] [--vkey KEY ...] [--json FILE] [--file FILE ...]
A line for each check (ok, FAIL, or - if it was not made). Exit status 0: verified, 1: something is wrong, 2: not a proof, 6: no trusted key. """
import argparse, base64, datetime, decimal, hashlib, json, re, sys
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
FAULTS = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, InvalidSignature)
FIELDS, TEXTS, IF_GIVEN = "files from id in_reply_to json_sha256 received_at thread_id to".split(), ["type", "subject", "note"], []  # Of messages
class Open(str): pass  # A result that is neither proven nor wrong
def need(holds, text):
    if not holds: raise ValueError(text)
def sha(data): return hashlib.sha256(data).digest()
def named(data): return "sha256:" + sha(data).hex()
def b64(text): return need(base64.b64encode(base64.b64decode(text)).decode() == text, "not base64") or base64.b64decode(text)
def number(value):  # A number as ECMAScript writes it
    sign, digits, exponent = decimal.Decimal(repr(value + 0.0)).normalize().as_tuple()
    text, point = "".join(map(str, digits)), len(digits) + exponent
    if 0 < point <= 21: text = text.ljust(point, "0")[:point] + ("." + text[point:] if point < len(text) else "")
    elif -6 < point <= 0: text = "0." + "0" * -point + text
    else: text = text[0] + ("." + text[1:] if text[1:] else "") + f"e{point - 1:+d}"
    return "-" * sign + text
def canonical(value):  # RFC 8785. A lone surrogate is escaped
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list): return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float): return number(value)
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
def strict(text, what, *names, optional=()):  # A canonical JSON object with exactly these members
    need(canonical(parse(text)) == text, f"{what} is not canonical JSON")
    return members(parse(text), what, *names, optional=optional)
def members(value, what, *names, optional=()):
    return need(isinstance(value, dict) and set(names) <= set(value) <= {*names, *optional}, f"{what} has other members than it should") or value
def ed25519(public, signature, message): Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
def vkey(text, kind):
    name, key_id, encoded = text.split("+", 2)
    key = b64(encoded)
    is_named = re.fullmatch(r"[^\s+]+", name) and sha(name.encode() + b"\n" + key)[:4].hex() == key_id
    return need(len(key) == 33 and key[0] == kind and is_named, f"not a key of this kind: {text}") or (name, key_id, key[1:])
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
    return need(is_fair, "the policy has a witness twice, or a group that asks for nobody") or (logs, witnesses, groups, quorum)
def included(proof, leaf, policy):  # c2sp.org/tlog-proof: gives index, size, log, witnesses and the checkpoint's text
    head, _, note = proof.partition("\n\n")
    first, at, *lines = head.split("\n")
    need(first == "c2sp.org/tlog-proof@v1" and re.fullmatch(r"index (0|[1-9]\d{0,15})", at), "not a tlog-proof")
    index, path = int(at[6:]), [b64(line) for line in lines]
    text, signatures = note[: note.rindex("\n\n") + 1], note[note.rindex("\n\n") + 2 :]
    need(signatures.endswith("\n") and not re.search("[\0-\t\v-\x1f]", note), "not a signed note")
    log, witnesses, seen = None, {}, set()
    for line in signatures[:-1].split("\n"):
        dash, name, encoded = line.split(" ")
        signature, holder = b64(encoded), (name, b64(encoded)[:4].hex())
        need(dash == "—" and len(signature) > 4 and holder not in seen, "not a signature line, or a second one of a key") or seen.add(holder)
        for key in [key for *named_so, key in policy[0] if tuple(named_so) == holder]:
            ed25519(key, signature[4:], text.encode())
            log = "+".join(holder) + "+" + base64.b64encode(b"\1" + key).decode()
        for witness, key in [(name, key) for name, (*named_so, key) in policy[1].items() if tuple(named_so) == holder]:
            witnesses[witness] = int.from_bytes(signature[4:12], "big")
            ed25519(key, signature[12:], f"cosignature/v1\ntime {witnesses[witness]}\n{text}".encode())
    origin, size, root, *_ = text.split("\n")
    need(log and log.startswith(origin + "+") and re.fullmatch(r"0|[1-9]\d{0,15}", size), "no log that you trust signed the checkpoint")
    need(all(len(one) == 32 for one in path) and index < int(size), "not a proof in this tree")
    node, last, at = index, int(size) - 1, sha(b"\0" + leaf)
    for sibling in path:  # RFC 9162, 2.1.3.2
        need(last > 0, "the proof is too long")
        is_right = node & 1 or node == last
        at = sha(b"\1" + (sibling + at if is_right else at + sibling))
        while is_right and not node & 1 and node: node, last = node >> 1, last >> 1
        node, last = node >> 1, last >> 1
    need(last == 0 and at == b64(root), "the proof does not lead to the root of the log")
    met = {*witnesses, "none"}
    for group, (count, names) in policy[2].items(): met |= {group} if len(met & names) >= count else set()
    need(policy[3] in met, "not enough witnesses cosigned the checkpoint")
    return index, int(size), log, witnesses, text
def logged(proof, kind, statement, policy): return included(proof, bytes([kind]) + sha(statement.encode()), policy)
def identity(party): return {name: value for name, value in party.items() if name != "display_name"}
def signed(signature, path, party, agent, at, policy):  # That a key of the agent signed a request (RFC 9421). Gives the request's body
    members(signature, "signature", "key", "key_proof", "signature_input", "signature", "components", "body")
    key = strict(signature["key"], "the key", "agent", "at", "id", "party", "public_key", "state")
    logged(signature["key_proof"], 4, signature["key"], policy)
    need(key["state"] == "registered" and identity(key["party"]) == identity(party) and key["agent"] == agent, "not a key of who acted")
    listed, parameters = re.fullmatch(r"\(([^()]*)\)((?:;[a-z]+=(?:\"[^\"\\]*\"|\d+))*)", signature["signature_input"]).groups()
    given = dict(one.split("=", 1) for one in parameters[1:].split(";"))
    names, values = [name.strip('"') for name in listed.split(" ")], signature["components"]
    need(len(names) == len(set(names)) and set(names) == set(values), "the components are not those that the signature covers")
    need({"@method", "@path", "content-digest"} <= set(names) and given["alg"] == '"ed25519"', "the signature covers too little")
    need(given["keyid"] == f'"{key["id"]}"' and not any("\n" in value for value in values.values()), "the signature names another key")
    is_in_time = abs(seconds(at) - int(given["created"])) <= 600
    need(is_in_time and (values["@method"], values["@path"]) == ("POST", path), "another request was signed, or at another time")
    digest = f"sha-256=:{base64.b64encode(sha(signature['body'].encode())).decode()}:"
    need(digest in re.split(r"[ \t]*,[ \t]*", values["content-digest"]), "another body was signed")
    lines = [f'"{name}": {values[name]}' for name in names] + [f'"@signature-params": {signature["signature_input"]}']
    ed25519(b64(key["public_key"]), b64(signature["signature"]), "\n".join(lines).encode())
    return parse(signature["body"])
def sender(signature, envelope, policy):
    body = signed(signature, "/v1/messages", envelope["from"]["party"], envelope["from"]["actor"]["id"], envelope["received_at"], policy)
    same = all(body.get(name) == envelope.get(name) for name in TEXTS + IF_GIVEN)
    same &= envelope["json_sha256"] == (named(canonical(body["json"]).encode()) if "json" in body else None)
    same &= envelope.get("json_bytes_sha256") in (None, named(written(signature["body"], "json").encode()))
    same &= len(body.get("files") or []) == len(envelope["files"]) and body.get("in_reply_to") in (None, envelope["in_reply_to"])
    if body.get("to") is not None:
        party = [value for name, value in envelope["to"]["party"].items() if name in ("handle", "domain", "email")][0]
        to = re.sub("[A-Z]", lambda letter: letter[0].lower(), body["to"]).removeprefix("@")
        found = re.fullmatch(r"([^/@+]+)([/+]([^/@+]+))?(@[^@]+)?", to)
        same &= to == party or bool(found and found[1] == party and found[3] in (None, envelope["to"].get("segment")))
    need(same, "the signed request is not that of this message")
def acknowledged(one, envelope, hash, policy):
    members(one, "an acknowledgement", "statement", "proof", optional=["signature"])
    said = strict(one["statement"], "an acknowledgement", "actor", "at", "content_hash", "message", "party", "reason", "status")
    need((said["message"], said["content_hash"]) == (envelope["id"], hash), "the acknowledgement is of another message")
    need(identity(said["party"]) == identity(envelope["to"]["party"]) or envelope["to"]["party"]["kind"] != "handle", "not by the recipient")
    logged(one["proof"], 3, one["statement"], policy)
    if "signature" in one:
        body = signed(one["signature"], f"/v1/messages/{said['message']}/acknowledge", said["party"], said["actor"]["id"], said["at"], policy)
        need((body["status"], body.get("reason")) == (said["status"], said["reason"]), "the signed request says something else")
    return f"{said['status']} by {said['party']['display_name']} at {said['at']}" + ("" if "signature" in one else ", not signed")
def later(one, envelope, hashes, policy):  # A large file, which was hashed after delivery
    members(one, "a file", "id", "sha256", "statement", "proof")
    said = strict(one["statement"], "a file", "file", "message", "sha256", "size_bytes")
    need((said["file"], said["sha256"], said["message"]) == (one["id"], one["sha256"], envelope["id"]), "not the hash of this file")
    unhashed = [(file["id"], file["size_bytes"]) for file in envelope["files"] if file["sha256"] is None]
    need((one["id"], said["size_bytes"]) in unhashed, "the envelope leaves no hash open for this file")
    logged(one["proof"], 2, one["statement"], policy)
    hashes[one["sha256"]] = one["id"]
    return f"the hash of {one['id']} is in the log"
def stamped(one, envelope, received_at, policy):  # Compares hash and time; docs/proof.md has the command for the signature
    members(one, "a timestamp", "proof", "token")
    text, token = logged(one["proof"], 1, envelope, policy)[-1], b64(one["token"])
    need((at := token.find(b"\x04\x20" + sha(text.encode()))) >= 0, "the timestamp is not of this checkpoint")
    time = "{}{}-{}-{}T{}:{}:{}Z".format(*re.findall("..", re.search(rb"\x18[\x0f-\x1f](\d{14})(\.\d+)?Z", token[at:])[1].decode()))
    need(seconds(time) + 60 >= seconds(received_at), f"the timestamp is of {time}, before the message was received")
    return Open(f"{time}, signature not checked: use openssl ts -verify")
def same_json(text, envelope, is_given):  # That of the message: in a proof to the byte, and given by you perhaps written in another way
    need(envelope["json_sha256"] == named(canonical(parse(text)).encode()), "not the JSON of the message")
    is_exact = named((text.strip() if is_given else text).encode()) == envelope.get("json_bytes_sha256", envelope["json_sha256"])
    need(is_exact or is_given, "not the JSON of the message, byte for byte")
    if is_exact or "json_bytes_sha256" not in envelope: return ""
    def sole(is_so): need(is_so, "not the bytes that were sent, and with repeated keys or rounded numbers: others may read another value")
    def exact(digits): sole(decimal.Decimal(digits) == decimal.Decimal(repr(float(digits))))
    json.loads(text, parse_int=exact, parse_float=exact, object_pairs_hook=lambda pairs: sole(len(pairs) == len(dict(pairs))))
    return Open("the same value, but not the same bytes: it is written in another way than it was sent")
def main(options):
    text, parts = open(options.proof, "rb").read(8_388_609), ["other_logs", "json", "files", "signature", "acknowledgements", "timestamps"]
    need(len(text) <= 8_388_608, "the file is too large")
    bundle = strict(text.decode().removesuffix("\n"), "the file", "format", "envelope", "log", "proof", optional=parts)
    logs = [members(log, "a log", "origin", "vkey") for log in [bundle["log"], *bundle.get("other_logs", [])]]
    need(bundle["format"] == "waybill-proof/1" and all(vkey(log["vkey"], 1)[0] == log["origin"] for log in logs), "not waybill-proof/1")
    policy = policy_of(open(options.policy).read() if options.policy else "quorum none")
    policy[0].extend(vkey(key, 1) for key in options.vkey)
    if not (is_trusted := bool(policy[0])): policy[0].extend(vkey(log["vkey"], 1) for log in logs)
    envelope, hash, failed = bundle["envelope"], named(bundle["envelope"].encode()), []
    def check(part, run, *arguments):
        try: mark, told = "ok  " if is_trusted else "-   ", run(*arguments) or ""
        except FAULTS as error: mark, told = failed.append(part) or "FAIL", str(error) or "a signature is wrong"
        print("".join(c if c.isprintable() else "?" for c in f"{'-   ' if isinstance(told, Open) else mark} {part} {told}"))
    def inclusion():
        index, size, log, witnesses, _ = logged(bundle["proof"], 1, envelope, policy)
        need(log == bundle["log"]["vkey"], "the log is another than the file names")
        return f"leaf {index} of {size} in {log}, cosigned by {', '.join(witnesses) or 'nobody that was asked for'}"
    check("content", lambda: strict(envelope, "the envelope", *FIELDS, *TEXTS, optional=["json_bytes_sha256", *IF_GIVEN])["id"] + " " + hash)
    check("inclusion", inclusion)
    if "content" not in failed and (told := parse(envelope)):
        hashes = {file["sha256"]: file["id"] for file in told["files"]}
        if "json" in bundle: check("json", same_json, bundle["json"], told, False)
        if options.json: check("json", lambda: same_json(open(options.json, encoding="utf-8", newline="").read(), told, True))
        for one in bundle.get("files", []): check("file", later, one, told, hashes, policy)
        for name in options.file: check("file", lambda: name + " is " + hashes[named(open(name, "rb").read())])
        if "signature" in bundle: check("signature", sender, bundle["signature"], told, policy)
        for one in bundle.get("acknowledgements", []): check("acknowledgement", acknowledged, one, told, hash, policy)
        for one in bundle.get("timestamps", []): check("time", stamped, one, envelope, told["received_at"], policy)
    if failed or is_trusted: return print("Not verified" if failed else "Verified") or (1 if failed else 0)
    return print("Not verified: no trusted key. Give --vkey or --policy, with a key that you did not get with the file") or 6
sys.setrecursionlimit(10_000)  # JSON has up to 1,000 levels
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("proof", "--policy", "--json"): parser.add_argument(option)
    for option in ("--vkey", "--file"): parser.add_argument(option, action="append", default=[])
    try: sys.exit(main(parser.parse_args()))
    except (*FAULTS, OSError) as error: sys.exit(print("Unusable:", error) or 2)
