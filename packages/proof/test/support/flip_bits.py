"""Flips bits of a bundle one at a time, and prints those that verify.py accepts: flip_bits.py <folder of verify.py> <vectors> <count>"""
import contextlib, io, json, os, sys, tempfile
from types import SimpleNamespace

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import verify

bundle = json.load(open(os.path.join(sys.argv[2], "good-everything.waybill-proof")))
# Of a timestamp, verify.py compares the hash alone.
del bundle["timestamps"]
text = verify.canonical(bundle).encode()
count, accepted = int(sys.argv[3]), []

def verdict(data):
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        options = SimpleNamespace(proof=file.name, policy=os.path.join(sys.argv[2], "policy.txt"), vkey=[], json=None, file=[], sender_key=[], recipient_key=[], authority=[])
        with contextlib.redirect_stdout(io.StringIO()):
            try: return verify.main(options)
            except verify.FAULTS: return 2

assert verdict(text) == 0
for turn in range(count):
    bit = (turn * len(text) * 8 // count + turn % 8) % (len(text) * 8)
    data = bytearray(text)
    data[bit >> 3] ^= 1 << (bit & 7)
    if verdict(bytes(data)) == 0: accepted.append((bit, text[max(0, (bit >> 3) - 20) : (bit >> 3) + 20].decode(errors="replace")))
print(json.dumps(accepted))
