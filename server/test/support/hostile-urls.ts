/** URLs of one kind, and the words of their refusal. */
export interface HostileUrls {
  kind: string;
  why: RegExp;
  urls: string[];
}

const NOT_PUBLIC = /is not a public address/;
const NO_URL = /is not a URL/;
const NO_HTTPS = /must begin with https:\/\//;
const CREDENTIALS = /must not contain a user name or password/;
const DOT = /must not end with a dot/;
const ONE_LABEL = /must be a full domain name/;
const UNKNOWN = /has no address|could not be looked up/;

const PORT = '{port}';
const at = (hosts: string[]) => hosts.map((host) => `https://${host}:${PORT}/hook`);
const words = (text: string) => text.trim().split(/\s+/);
const ipv4 = (text: string) => at(words(text));
const ipv6 = (text: string) => at(words(text).map((address) => `[${address}]`));

const corpus: HostileUrls[] = [
  {
    kind: 'loopback in every notation of IPv4',
    why: NOT_PUBLIC,
    urls: ipv4(`
      127.0.0.1 127.0.0.2 127.2.3.4 127.255.255.254 127.1 127.0.1 127.65535 127.0.0.1. 127.1.
      2130706433 2130706433. 0x7f000001 0X7F000001 0x7f000001. 017700000001 0000017700000001
      0x7f.1 0x7F.0x1 0x7f.0.0.1 0x7f.0x0.0x0.0x1 0x000000007f.0.0.1 127.0.0.0x1 127.0x1
      0177.1 0177.0.0.1 0177.0.0.01 0177.00.00.01 00000177.0.0.1 127.000.000.001 127.0.0.00000001 0x7f.0.01.1 0177.0x0.1`),
  },
  {
    kind: 'loopback in digits and dots of other alphabets',
    why: NOT_PUBLIC,
    urls: ipv4(`
      １２７.0.0.1 １２７．０．０．１ 127。0。0。1 127．0．0．1 127｡0｡0｡1 ①②⑦.0.0.1 ①②⑦.⓪.⓪.① 𝟏𝟐𝟕.𝟎.𝟎.𝟏 𝟣𝟤𝟩.0.0.1
      ¹²⁷.⁰.⁰.¹ ₁₂₇.₀.₀.₁ ２１３０７０６４３３ ０ｘ７ｆ.1 0ｘ7ｆ000001 ０１７７.0.0.1 127.0.0\u00ad.1 127\u200b.0.0.1 127.0.0.1。`),
  },
  {
    kind: 'percent-encoded hosts',
    why: NOT_PUBLIC,
    urls: ipv4(`
      %31%32%37.0.0.1 %31%32%37%2e%30%2e%30%2e%31 127.0.0.%31 127%2e0%2E0%2e1 127.0.0.1%2e 127%E3%80%820.0.1
      %EF%BC%91%EF%BC%92%EF%BC%97.0.0.1 %30x7f.1 %32130706433`),
  },
  {
    kind: 'tabs, line breaks and spaces that a parser drops',
    why: NOT_PUBLIC,
    urls: [
      ...at(['12\t7.0.0.1', '127.0.0.1\n', '\t127.0.0.1', '127.0.\r\n0.1', '[:\n:1]']),
      `  https://127.0.0.1:${PORT}/  `,
      `\u001f\thttps://127.0.0.1:${PORT}/`,
      `ht\ntps://127.0.0.1:${PORT}/`,
      `https:\t//127.0.0.1:${PORT}/`,
      `https:/\n/127.0.0.1:${PORT}/`,
    ],
  },
  {
    kind: 'slashes, backslashes and other marks about the host',
    why: NOT_PUBLIC,
    urls: [
      ...['https:', 'https:/', 'https:///', 'https:////', 'https:\\\\', 'https:/\\', 'HTTPS:\\', 'HtTpS://', 'https://@', 'https://:@'].map(
        (start) => `${start}127.0.0.1:${PORT}/hook`,
      ),
      ...['\\@public.test/', '/@public.test', '?@public.test', '#@public.test', '\\.public.test', '?.public.test', '#.public.test'].map(
        (end) => `https://127.0.0.1:${PORT}${end}`,
      ),
      `https://127.0.0.1:0${PORT}/`,
      'https://127.0.0.1',
    ],
  },
  {
    kind: 'networks of IPv4 that are not public',
    why: NOT_PUBLIC,
    urls: ipv4(`
      0 00 0x0 0.0.0.0 0.1.2.3 0.255.255.255 10.0.0.1 10.255.255.255 012.1 0xa.1 167772161 100.64.0.1 100.127.255.255
      169.254.0.1 172.16.0.1 172.31.255.255 0xac100001 192.0.0.1 192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1
      192.168.0.1 192.168.255.255 192.168.1 3232235521 0300.0250.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.7
      203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.254 255.255.255.255 4294967295 0xffffffff 037777777777`),
  },
  {
    kind: 'what clouds tell their machines from',
    why: NOT_PUBLIC,
    urls: [
      ...ipv4(`
        169.254.169.254 169.254.170.2 2852039166 0xa9fea9fe 0xa9.0xfe.0xa9.0xfe 0251.0376.0251.0376 025177524776 169.254.43518
        １６９。２５４。１６９。２５４ 169.254.169.%32%35%34 168.63.129.16 2822734096 0250.077.0201.020 100.100.100.200 0x646464c8 192.0.0.192`),
      ...ipv6(`
        ::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::169.254.169.254 64:ff9b::169.254.169.254 64:ff9b:1::a9fe:a9fe 2002:a9fe:a9fe::1
        ::ffff:168.63.129.16 64:ff9b::168.63.129.16 2002:a83f:8110::1 ::ffff:100.100.100.200 2002:6464:64c8:: ::ffff:192.0.0.192
        fd00:ec2::254 FD00:0EC2:0:0:0:0:0:0254 fd00:ec2::23 fd20:ce::254 fd00:42::42 2600:1234::5efe:a9fe:a9fe`),
    ],
  },
  {
    kind: 'loopback and nothing in IPv6',
    why: NOT_PUBLIC,
    urls: ipv6(':: 0::0 ::0.0.0.0 ::1 0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:0000:0000:0001 ::0.0.0.1 0::1 ::0:1'),
  },
  {
    kind: 'IPv4 inside of IPv6',
    why: NOT_PUBLIC,
    urls: ipv6(`
      ::ffff:127.0.0.1 ::ffff:7f00:1 0:0:0:0:0:FFFF:7F00:0001 ::ffff:10.0.0.1 ::ffff:192.168.0.1 ::ffff:0.0.0.0 ::ffff:8.8.8.8
      ::127.0.0.1 ::7f00:1 ::10.0.0.1 ::192.168.0.1 ::ffff:0:127.0.0.1 ::ffff:0:a00:1
      64:ff9b::127.0.0.1 64:ff9b::7f00:1 64:FF9B:0:0:0:0:10.0.0.1 64:ff9b::c0a8:1 64:ff9b:1::127.0.0.1 64:ff9b:1:ffff:ffff:ffff:7f00:1
      2002:7f00:1:: 2002:7f00:0001::1 2002:a00:1::1 2002:c0a8:101::
      2001::1 2001:0:7f00:1:: 2001:0:4136:e378:8000:63bf:80ff:fffe 2001:0000:5601:5601::
      fe80::5efe:127.0.0.1 2600:1234::5efe:7f00:1 2600:1234::200:5efe:127.0.0.1 2600:1234:5:6:0:5efe:c0a8:1 2600:1234:5:6:200:5efe:a00:1
      2600:1234:5:6:0:5efe:: 2600:1234:5:6:0:5efe:0.0.0.1`),
  },
  {
    kind: 'networks of IPv6 that are not public',
    why: NOT_PUBLIC,
    urls: ipv6(`
      fc00::1 fd00::1 FDFF:ffff::1 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fe80::1 fe80::1:2:3:4 febf::1 fec0::1 feff::1
      ff01::1 ff02::1 ff05::1:3 ff0e::1 2001:db8::1 2001:0DB8:ffff::1 3fff::1 3fff:fff::1 2001:2::1 2001:10::1 2001:20::1 2001:1::1
      2001:4:112::1 2620:4f:8000::1 3ffe::1 100::1 5f00::1 200::1 4000::1 8000::1 ::2 ::1:0:0:0`),
  },
  {
    kind: 'names of one label',
    why: ONE_LABEL,
    urls: at([
      ...words('localhost LOCALHOST LocalHost ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ %6cocalhost local%68ost loc\u00adalhost 𝐥ocalhost'),
      ...words('intranet db metadata kubernetes internal broadcasthost ip6-localhost com'),
      'local\thost',
      'localhost\n',
    ]),
  },
  {
    kind: 'names with a dot at their end',
    why: DOT,
    urls: at(
      words(
        'localhost. LOCALHOST. localhost。 localhost%2e localhost.. x.localhost. public.test. public.test。 metadata. 127.0.0.1.. com.',
      ),
    ),
  },
  {
    kind: 'names that nothing is known about',
    why: UNKNOWN,
    urls: [
      ...at(words('x.localhost a.b.localhost X.LOCALHOST localhost.localdomain metadata.google.internal instance-data.ec2.internal')),
      ...at(words('nowhere.test 127.0.0.1.nip.test 0x7f000001.test .test a..test _.test -.test xn--nxa.test')),
      ...at([`${'a'.repeat(64)}.test`, `${'a.'.repeat(150)}test`, `${'very-long-label.'.repeat(40)}test`]),
      `https://nowhere.test\\@127.0.0.1:${PORT}/`,
      `https://nowhere.test:${PORT}#@127.0.0.1/`,
    ],
  },
  {
    kind: 'a user name or a password',
    why: CREDENTIALS,
    urls: [
      ...words('user@ user:pw@ :pw@ user:@ %40@ a@b@ user%3Apw@ public.test:443@ 127.0.0.1@').map(
        (who) => `https://${who}public.test:${PORT}/`,
      ),
      ...words('example.com@ example.com:443@ example.com%2f@ public.test%00@ a:b@c:d@ public.test;@ [::1]@').map(
        (who) => `https://${who}127.0.0.1:${PORT}/`,
      ),
      `https://user@localhost:${PORT}/`,
      `http://user:pw@[::1]:${PORT}/`,
      `https://us\ner@public.test:${PORT}/`,
    ],
  },
  {
    kind: 'other schemes than https',
    why: NO_HTTPS,
    urls: [
      ...words('http HTTP ftp ws wss gopher dict ldap tftp sftp ssh redis postgres http+unix httpss').map(
        (scheme) => `${scheme}://public.test/`,
      ),
      ...words('http ftp ws gopher dict').map((scheme) => `${scheme}://127.0.0.1:${PORT}/`),
      ...[`http://[::1]:${PORT}/`, `http://localhost:${PORT}/`, `localhost:${PORT}/hook`, `blob:https://127.0.0.1:${PORT}/x`],
      ...[
        'file:///etc/passwd',
        'file://localhost/etc/passwd',
        'javascript:alert(1)',
        'data:text/html,x',
        'about:blank',
        'mailto:a@public.test',
      ],
      ...['unix:/var/run/docker.sock', 'jar:https://public.test!/', 'view-source:https://public.test/', 'ht\ttp://public.test/'],
    ],
  },
  {
    kind: 'no host, or nothing that is a URL',
    why: NO_URL,
    urls: [
      ...['https://', 'https:', 'https://?', 'https://#', 'https:///', `https://:${PORT}/`, 'https://user@/', 'https://@', 'https://%00/'],
      ...[`//127.0.0.1:${PORT}/`, `127.0.0.1:${PORT}`, `[::1]:${PORT}`, '/hook', 'public.test', ' ', '?', 'null', '"https://public.test/"'],
      ...['https//public.test/', '://public.test/', 'https ://public.test/', '\u202ehttps://public.test/', 'https://public.test:99999/'],
      ...['https://public.test:-1/', 'https://public.test:1x/', `https://public.test%40127.0.0.1:${PORT}/`, 'https://%zz.test/'],
      ...at(
        words('[::1 ::1 [::1]] [[::1]] [::1]. [127.0.0.1] [::ffff:127.1] [::ffff:0x7f.0.0.1] [v1.x] [1::2::3] [12345::] [::127.0.0.1.]'),
      ),
      ...at(
        words('[fe80::1%eth0] [fe80::1%25eth0] [::1%lo] [::1%251] [fe80::1%] 256.256.256.256 127.0.0.256 1.2.3.4.5 127.0.0.09 4294967296'),
      ),
      ...at(
        words('0x100000000 foo.0x7f foo.127 127..1 127․0․0․1 ١٢٧.٠.٠.١ १२७.0.0.1 ⒈0.0.1 127.0.0.1%00.public.test 127.0.0.1%2f.public.test'),
      ),
      ...at(['127.0.0.1\u0001.public.test', '127.0.0.1 public.test', 'a<b.test', 'a|b.test', 'a^b.test', '1e3.1']),
    ],
  },
];

export function hostileUrls(port: number): HostileUrls[] {
  return corpus.map(({ urls, ...kind }) => ({ ...kind, urls: urls.map((url) => url.replaceAll(PORT, String(port))) }));
}
