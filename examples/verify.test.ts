import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pythonWith } from '../clients/test/python-environment.ts';
import { temporaryFolder } from '../server/test/support/process.ts';
import { type Delivery, type Receiver, receiverSettings, startReceiver } from '../server/test/support/receiver.ts';
import { startTestService, type TestService } from '../server/test/support/service.ts';

/** Each case is a line of Base64 texts, which the programs hand to the function of the guide; they print a line for each. */
const PROGRAMS = {
  Python: {
    hmac: `import sys
from base64 import b64decode
from verify import is_genuine
for line in sys.stdin:
    secret, signature, body = map(b64decode, line.rstrip("\\n").split(" "))
    print(str(is_genuine(secret.decode(), signature.decode(), body)).lower())
`,
    ed25519: `import sys
from base64 import b64decode
from verify import is_genuine
for line in sys.stdin:
    key, id, at, signatures, body = map(b64decode, line.rstrip("\\n").split(" "))
    headers = {"webhook-id": id.decode(), "webhook-timestamp": at.decode(), "webhook-signature": signatures.decode()}
    print(str(is_genuine(key.decode(), headers, body)).lower())
`,
  },
  Go: {
    hmac: 'fmt.Println(waybill.IsGenuine(string(f[0]), string(f[1]), f[2]))',
    ed25519: `h := http.Header{}
		h.Set("webhook-id", string(f[1]))
		h.Set("webhook-timestamp", string(f[2]))
		h.Set("webhook-signature", string(f[3]))
		fmt.Println(waybill.IsGenuine(string(f[0]), h, f[4]))`,
  },
  Java: {
    hmac: 'VerifyWebhook.isGenuine(f[0], f[1], bytes(f[2]))',
    ed25519: 'VerifyEd25519.isGenuine(f[0], f[1], f[2], f[3], bytes(f[4]))',
  },
};

const FOLDERS = { hmac: 'verify-webhook', ed25519: 'verify-ed25519' };
type Scheme = keyof typeof FOLDERS;
const SCHEMES = Object.keys(FOLDERS) as Scheme[];
const sourceOf = (scheme: Scheme, file: string) => path.join(import.meta.dirname, FOLDERS[scheme], file);

let service: TestService;
let receiver: Receiver;
type Cases = Record<Scheme, [fields: (string | Buffer)[], isGenuine: boolean][]>;
let cases: Cases | undefined;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService(receiverSettings);
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

async function deliver(): Promise<Cases> {
  const [acme, globex] = [await service.business('acme'), await service.business('globex')];
  const { body: webhook } = await globex.api.write('POST', '/webhooks', { url: receiver.url(), signatures: ['hmac', 'ed25519'] });
  await acme.api.send({ to: 'globex', json: { name: 'Ä\u2028', big: 1 } });
  const [delivery] = await receiver.received(1);
  return casesOf(webhook.secret, webhook.public_key, delivery as Delivery);
}

/** A genuine delivery, and what somebody could make of it. */
function casesOf(secret: string, key: string, { headers, body }: Delivery): Cases {
  const header = (name: string) => String(headers[name]);
  const [signature, id, at, signatures] = ['waybill-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header) as [
    string,
    string,
    string,
    string,
  ];
  const longer = Buffer.concat([body, Buffer.from(' ')]);
  const early = String(Number(at) - 400);
  return {
    hmac: [
      [[secret, signature, body], true],
      [[secret, signature, longer], false],
      [[`${secret}x`, signature, body], false],
      [[secret, signature.replace(/\d+/, early), body], false],
      [[secret, signature.slice(0, -2), body], false],
      [[secret, '', body], false],
    ],
    ed25519: [
      [[key, id, at, signatures, body], true],
      [[key, id, at, signatures, longer], false],
      [[key, `${id}x`, at, signatures, body], false],
      [[key, id, early, signatures, body], false],
      [[key, id, at, signatures.replace(/v1a,\S+/, 'v1a,AAAA'), body], false],
      [[key, id, at, '', body], false],
    ],
  };
}

function run(program: string, args: string[], cwd: string, input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { cwd, timeout: 240_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`));
      else resolve(stdout);
    });
    child.stdin?.end(input);
  });
}

async function judge(scheme: Scheme, program: string, args: string[], folder: string): Promise<void> {
  cases ??= await deliver();
  const lines = cases[scheme].map(([fields]) => fields.map((field) => Buffer.from(field).toString('base64')).join(' '));
  const printed = await run(program, args, folder, `${lines.join('\n')}\n`);
  expect(printed.trim().split('\n')).toEqual(cases[scheme].map(([, isGenuine]) => String(isGenuine)));
}

const isThere = (program: string, ...args: string[]) =>
  run(program, args, import.meta.dirname).then(
    () => true,
    () => false,
  );

describe.each(SCHEMES)('the functions of the guide for %s judge a delivery and forgeries rightly:', (scheme) => {
  test('Python', async ({ skip }) => {
    const python = await pythonWith(path.resolve(import.meta.dirname, '../clients/python/pyproject.toml'));
    if (typeof python !== 'string') {
      console.warn(`The examples in Python were NOT run: ${python.missing}`);
      return skip();
    }
    await judge(scheme, python, ['-Bc', PROGRAMS.Python[scheme]], path.dirname(sourceOf(scheme, 'verify.py')));
  });

  test('Go', async ({ skip }) => {
    if (!(await isThere('go', 'version'))) {
      console.warn('The examples in Go were NOT run: there is no go.');
      return skip();
    }
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'waybill'));
    copyFileSync(sourceOf(scheme, 'verify.go'), path.join(folder, 'waybill/verify.go'));
    writeFileSync(path.join(folder, 'go.mod'), 'module example\n\ngo 1.21\n');
    writeFileSync(
      path.join(folder, 'main.go'),
      `package main

import (
	"bufio"
	"encoding/base64"
	"example/waybill"
	"fmt"
	"net/http"
	"os"
	"strings"
)

var _ = http.Header{}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var f [][]byte
		for _, text := range strings.Split(lines.Text(), " ") {
			field, _ := base64.StdEncoding.DecodeString(text)
			f = append(f, field)
		}
		${PROGRAMS.Go[scheme]}
	}
}
`,
    );
    await judge(scheme, 'go', ['run', '.'], folder);
  });

  test('Java', async ({ skip }) => {
    if (!(await isThere('javac', '-version'))) {
      console.warn('The examples in Java were NOT run: there is no javac.');
      return skip();
    }
    const folder = temporaryFolder();
    const file = scheme === 'hmac' ? 'VerifyWebhook.java' : 'VerifyEd25519.java';
    copyFileSync(sourceOf(scheme, file), path.join(folder, file));
    writeFileSync(
      path.join(folder, 'Main.java'),
      `import java.util.Arrays;
import java.util.Base64;
import java.util.Scanner;

final class Main {
  static byte[] bytes(String latin1) {
    return latin1.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  public static void main(String[] args) throws Exception {
    var lines = new Scanner(System.in);
    while (lines.hasNextLine()) {
      var f = Arrays.stream(lines.nextLine().split(" ", -1))
          .map(text -> new String(Base64.getDecoder().decode(text), java.nio.charset.StandardCharsets.ISO_8859_1))
          .toArray(String[]::new);
      System.out.println(${PROGRAMS.Java[scheme]});
    }
  }
}
`,
    );
    await run('javac', ['-encoding', 'UTF-8', file, 'Main.java'], folder);
    await judge(scheme, 'java', ['-cp', folder, 'Main'], folder);
  });
});
