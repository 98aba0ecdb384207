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
  /** Where its list of revoked certificates is, as the signer's certificate says. */
  listUrl?: string;
  /** The name of the root. */
  name?: string;
  /** When the signer's certificate ends. In 100 years by default. */
  endsAt?: Date;
}

/** A timestamp authority by OpenSSL, with its own root and folder. */
export class Authority {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'waybill-tsa-'));
  readonly root: string;
  /** The first certificate that stamps. */
  readonly signer: string;
  readonly #key: string[];
  readonly #padding: string[];
  #signers = 0;

  constructor(settings: AuthoritySettings = {}) {
    const {
      key = ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
      purpose = 'critical,timeStamping',
      digest = 'sha256',
    } = settings;
    this.#write('tsa.cnf', configuration(digest, purpose, settings));
    this.#write('serial', '01\n');
    const rootKey = settings.isRootPss ? ['RSA', '-pkeyopt', 'rsa_keygen_bits:2048'] : ['EC', '-pkeyopt', 'ec_paramgen_curve:P-256'];
    const padding = settings.isRootPss ? ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:32'] : [];
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
      `/O=Test/CN=${settings.name ?? 'Test root'}`,
      '-days',
      '36500',
      '-key',
      'root.key',
      ...padding,
      '-out',
      'root.pem',
    );
    this.#key = key;
    this.#padding = padding;
    this.#write('index.txt', '');
    this.#write('crlnumber', '01\n');
    this.root = readFileSync(path.join(this.#folder, 'root.pem'), 'utf8');
    this.signer = this.issueSigner(settings.endsAt);
  }

  /** Stamps with another key and certificate from now on, which is returned. */
  issueSigner(endsAt = new Date(Date.now() + 36_500 * 86_400_000)): string {
    this.#signers++;
    this.#openssl('genpkey', ...this.#key, '-out', 'tsa.key');
    this.#openssl('req', '-new', '-config', 'tsa.cnf', '-subj', '/O=Test/CN=Test timestamps', '-key', 'tsa.key', '-out', 'tsa.csr');
    this.#write('issued', `${(this.#signers + 6).toString(16).padStart(4, '0')}\n`);
    const validity = ['-startdate', stampOf(new Date(Date.now() - 60_000)), '-enddate', stampOf(endsAt)];
    this.#ca('-batch', '-notext', '-extensions', 'signer', '-in', 'tsa.csr', '-out', 'tsa.pem', ...validity);
    return readFileSync(path.join(this.#folder, 'tsa.pem'), 'utf8');
  }

  /** The root revokes the certificate of the signer, with a reason such as `superseded`. */
  revoke(...reason: string[]): void {
    this.#ca('-revoke', 'tsa.pem', ...reason.flatMap((one) => ['-crl_reason', one]));
  }

  /** As many more certificates that the root has revoked. */
  revokeOthers(count: number): void {
    const serials = Array.from({ length: count }, (_, at) => (0x1000_0000_0000 + at).toString(16).toUpperCase());
    this.#write(
      'index.txt',
      serials.map((serial) => `R\t391231000000Z\t260101000000Z,superseded\t${serial}\tunknown\t/CN=${serial}\n`).join(''),
    );
  }

  /** The root's list of revoked certificates, in DER, which OpenSSL verifies, too. `scope`: its issuing distribution point, as openssl.cnf has it. */
  list({ forS = 86_400, scope = '' } = {}): Uint8Array<ArrayBuffer> {
    const settings = readFileSync(path.join(this.#folder, 'tsa.cnf'), 'utf8').replace(/^issuingDistributionPoint.*\n/m, '');
    this.#write(
      'tsa.cnf',
      settings
        .replace('[list]\n', `[list]\n${scope === '' ? '' : `issuingDistributionPoint = critical,@scope\n`}`)
        .replace(/(\[scope\]\n)[^[]*/, `$1${scope}\n`),
    );
    this.#ca('-gencrl', '-crlsec', String(forS), '-out', 'crl.pem');
    this.#openssl('crl', '-in', 'crl.pem', '-CAfile', 'root.pem', '-verify', '-outform', 'DER', '-out', 'crl.der');
    return new Uint8Array(readFileSync(path.join(this.#folder, 'crl.der')));
  }

  /** Returns a token of RFC 3161 for bytes. */
  stamp(bytes: Uint8Array, ...queryArguments: string[]): Uint8Array<ArrayBuffer> {
    this.#write('data', bytes);
    this.#openssl(
      'ts',
      '-query',
      '-data',
      'data',
      ...(queryArguments.includes('-sha512') ? [] : ['-sha256']),
      '-cert',
      ...queryArguments,
      '-out',
      'query.tsq',
    );
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

  #ca(...args: string[]): void {
    this.#openssl('ca', '-config', 'tsa.cnf', '-name', 'issuing', ...args, ...this.#padding);
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.#folder, stdio: 'pipe' });
  }
}

/** As `openssl ca` takes times: 20261119103000Z. */
function stampOf(time: Date): string {
  return time.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
}

function configuration(digest: string, purpose: string, { hasChain = false, listUrl }: AuthoritySettings): string {
  return `[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
[signer]
basicConstraints = CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = ${purpose}
${listUrl === undefined ? '' : `crlDistributionPoints = URI:${listUrl}\n`}[issuing]
certificate = root.pem
private_key = root.key
new_certs_dir = .
database = index.txt
serial = issued
crlnumber = crlnumber
crl_extensions = list
default_md = sha256
policy = any
unique_subject = no
[any]
organizationName = optional
commonName = supplied
[list]
authorityKeyIdentifier = keyid
[scope]
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
