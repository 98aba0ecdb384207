import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface AuthoritySettings {
  /** Arguments of `openssl genpkey` for the key of the authority that stamps. */
  key?: string[];
  digest?: string;
  /** The root has an RSA key and signs with PSS. Otherwise its key is of P-256. */
  isRootPss?: boolean;
  purpose?: string;
  /** Tokens have the root's certificate, too. */
  hasChain?: boolean;
}

/** A timestamp authority by OpenSSL, with its own root and folder. */
export class Authority {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'waybill-tsa-'));
  readonly root: string;
  readonly signer: string;

  constructor(settings: AuthoritySettings = {}) {
    const {
      key = ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
      purpose = 'critical,timeStamping',
      digest = 'sha256',
    } = settings;
    this.#write('tsa.cnf', configuration(digest, purpose, settings.hasChain === true));
    this.#write('serial', '01\n');
    const rootKey = settings.isRootPss ? ['RSA', '-pkeyopt', 'rsa_keygen_bits:2048'] : ['EC', '-pkeyopt', 'ec_paramgen_curve:P-256'];
    const padding = settings.isRootPss ? ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:32', '-sha256'] : [];
    this.#openssl('genpkey', '-algorithm', ...rootKey, '-out', 'root.key');
    this.#openssl(
      'req',
      '-new',
      '-x509',
      '-config',
      'tsa.cnf',
      '-extensions',
      'root',
      '-subj',
      '/O=Test/CN=Test root',
      '-days',
      '36500',
      '-key',
      'root.key',
      ...padding,
      '-out',
      'root.pem',
    );
    this.#openssl('genpkey', ...key, '-out', 'tsa.key');
    this.#openssl('req', '-new', '-config', 'tsa.cnf', '-subj', '/O=Test/CN=Test timestamps', '-key', 'tsa.key', '-out', 'tsa.csr');
    this.#openssl(
      'x509',
      '-req',
      '-in',
      'tsa.csr',
      '-CA',
      'root.pem',
      '-CAkey',
      'root.key',
      ...padding,
      '-set_serial',
      '7',
      '-days',
      '36500',
      '-extfile',
      'tsa.cnf',
      '-extensions',
      'signer',
      '-out',
      'tsa.pem',
    );
    this.root = readFileSync(path.join(this.#folder, 'root.pem'), 'utf8');
    this.signer = readFileSync(path.join(this.#folder, 'tsa.pem'), 'utf8');
  }

  /** Returns a token of RFC 3161 for bytes. */
  stamp(bytes: Uint8Array, ...queryArguments: string[]): Uint8Array<ArrayBuffer> {
    this.#write('data', bytes);
    this.#openssl('ts', '-query', '-data', 'data', '-sha256', '-cert', ...queryArguments, '-out', 'query.tsq');
    this.#openssl('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query.tsq', '-token_out', '-out', 'token.der');
    return new Uint8Array(readFileSync(path.join(this.#folder, 'token.der')));
  }

  /** Returns the response to a request of RFC 3161. */
  reply(query: Uint8Array): Buffer {
    this.#write('query.tsq', query);
    this.#openssl('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query.tsq', '-out', 'reply.tsr');
    return readFileSync(path.join(this.#folder, 'reply.tsr'));
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #write(name: string, content: string | Uint8Array): void {
    writeFileSync(path.join(this.#folder, name), content);
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.#folder, stdio: 'pipe' });
  }
}

function configuration(digest: string, purpose: string, hasChain: boolean): string {
  return `[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[signer]
basicConstraints = CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = ${purpose}
[tsa]
default_tsa = authority
[authority]
serial = serial
signer_cert = tsa.pem
signer_key = tsa.key
${hasChain ? 'certs = root.pem\n' : ''}signer_digest = ${digest}
default_policy = 1.3.6.1.4.1.55555.1
digests = sha256, sha384, sha512
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = ${digest}
`;
}
