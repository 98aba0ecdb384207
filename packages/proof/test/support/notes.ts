/* Signed notes that are not quite in the form of c2sp.org/signed-note, for our reader and Go's. */

/** The example of c2sp.org/signed-note. */
export const VKEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
export const NOTE =
  'This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';
const line = NOTE.slice(NOTE.indexOf('—'));
const unknown = '— example.org/bar AAAAAAAA\n';

export interface NoteCase {
  what: string;
  note: string;
  /** `opened`, or the reason for which the note is refused. */
  ours: 'opened' | 'malformed' | 'wrong-signature' | 'signed-twice' | 'unknown-log';
  /** Where golang.org/x/mod/sumdb/note is less strict. */
  go?: 'opened' | 'malformed' | 'wrong-signature' | 'unknown-log';
}

export const NOTE_CASES: NoteCase[] = [
  { what: 'the example', note: NOTE, ours: 'opened' },
  { what: 'a line of an unknown key', note: NOTE + unknown, ours: 'opened' },
  { what: 'a line of an unknown key twice', note: NOTE + unknown + unknown, ours: 'opened' },
  { what: 'a line of an unknown key first', note: NOTE.replace(line, unknown + line), ours: 'opened' },
  { what: 'a line of a key with the same name', note: NOTE + line.replace('Uw2QOk', 'Uw2QPk'), ours: 'opened' },
  { what: 'a line of a key with the same id', note: NOTE + line.replace('com/foo', 'com/bar'), ours: 'opened' },
  { what: '17 signatures', note: NOTE + unknown.repeat(16), ours: 'opened' },
  { what: 'empty lines in its text', note: `\n\n${NOTE}`, ours: 'wrong-signature' },
  { what: 'the line of the key alone with another id', note: NOTE.replace('Uw2QOk', 'Uw2QPk'), ours: 'unknown-log' },
  { what: 'no known key', note: NOTE.replace(line, unknown), ours: 'unknown-log' },
  { what: 'another text', note: NOTE.replace('example m', 'Example m'), ours: 'wrong-signature' },
  { what: 'a good signature and a wrong one of the key', note: NOTE + line.replace('n8srV', 'n8srW'), ours: 'signed-twice', go: 'opened' },
  { what: 'the same signature twice', note: NOTE + line, ours: 'signed-twice', go: 'opened' },
  { what: 'a byte behind the signature', note: NOTE.replace('aQM=', 'aQMA'), ours: 'wrong-signature' },
  { what: 'carriage returns', note: NOTE.replaceAll('\n', '\r\n'), ours: 'malformed' },
  { what: 'a carriage return before the last newline', note: NOTE.replace(/\n$/, '\r\n'), ours: 'malformed' },
  { what: 'a tab', note: NOTE.replace(' example', '\texample'), ours: 'malformed' },
  { what: 'a NUL', note: NOTE.replace(' example', '\0example'), ours: 'malformed' },
  { what: 'no newline at the end', note: NOTE.slice(0, -1), ours: 'malformed' },
  { what: 'two newlines at the end', note: `${NOTE}\n`, ours: 'malformed' },
  { what: 'no signature', note: 'This is an example message.\n\n', ours: 'malformed' },
  { what: 'no empty line', note: NOTE.replace('\n\n', '\n'), ours: 'malformed' },
  { what: 'a hyphen for the dash', note: NOTE.replace('—', '-'), ours: 'malformed' },
  { what: 'two spaces', note: NOTE.replace('foo ', 'foo  '), ours: 'malformed' },
  { what: 'a space at the end of the line', note: NOTE.replace(/\n$/, ' \n'), ours: 'malformed' },
  { what: 'set bits under the padding', note: NOTE.replace('QM=', 'QN='), ours: 'malformed', go: 'opened' },
  { what: 'set bits under the padding of an unknown key', note: `${NOTE}— example.org/bar AAAAAAB=\n`, ours: 'malformed', go: 'opened' },
  { what: 'no padding', note: NOTE.replace('QM=', 'QM'), ours: 'malformed' },
  { what: 'the other alphabet of base64', note: `${NOTE}— example.org/bar AAAAA-_A\n`, ours: 'malformed' },
  { what: 'an unknown signature of four bytes', note: `${NOTE}— example.org/bar AAAAAA==\n`, ours: 'malformed' },
  { what: 'an unknown name with a plus', note: `${NOTE}— example.org/b+r AAAAAAAA\n`, ours: 'malformed' },
  { what: 'an unknown name with a wide space', note: `${NOTE}— example.org/b\u2003r AAAAAAAA\n`, ours: 'malformed' },
  { what: 'an unknown name with a no-break space', note: `${NOTE}— example.org/b\u00a0r AAAAAAAA\n`, ours: 'malformed' },
  { what: 'an unknown name with a space of no width, which is none', note: `${NOTE}— example.org/b\ufeffr AAAAAAAA\n`, ours: 'opened' },
  { what: 'an unknown name that is empty', note: `${NOTE}—  AAAAAAAA\n`, ours: 'malformed' },
  { what: '65 signatures', note: NOTE + unknown.repeat(64), ours: 'malformed', go: 'opened' },
  { what: 'no text', note: `\n${line}`, ours: 'malformed' },
];
