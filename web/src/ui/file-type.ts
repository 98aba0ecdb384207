/** The usual names, by the file's extension, then by its content type. */
const NAMES: [name: string, ending: RegExp, type: RegExp][] = [
  ['PDF', /\.pdf$/i, /^application\/pdf\b/],
  ['Excel', /\.xls[xmb]?$/i, /^application\/vnd\.(ms-excel|openxmlformats-officedocument\.spreadsheetml)/],
  ['Word', /\.doc[xm]?$/i, /^application\/(msword|vnd\.openxmlformats-officedocument\.wordprocessingml)/],
  ['PowerPoint', /\.ppt[xm]?$/i, /^application\/vnd\.(ms-powerpoint|openxmlformats-officedocument\.presentationml)/],
  ['OpenDocument', /\.od[tsp]$/i, /^application\/vnd\.oasis\.opendocument/],
  ['CSV', /\.csv$/i, /^text\/csv\b/],
  ['TSV', /\.tsv$/i, /^text\/tab-separated-values\b/],
  ['JSON', /\.json$/i, /^application\/(json|[\w.-]+\+json)\b/],
  ['XML', /\.xml$/i, /^(application|text)\/(xml|[\w.-]+\+xml)\b/],
  ['EDI', /\.(edi|edifact|x12)$/i, /^application\/edi/i],
  ['Image', /\.(png|jpe?g|gif|webp|avif|heic|tiff?|svg|bmp)$/i, /^image\//],
  ['Video', /\.(mp4|mov|webm|mkv)$/i, /^video\//],
  ['Audio', /\.(mp3|m4a|wav|ogg)$/i, /^audio\//],
  ['Archive', /\.(zip|gz|tgz|7z|rar|tar|bz2|xz)$/i, /^application\/(zip|gzip|x-7z-compressed|x-tar|vnd\.rar)\b/],
  ['Email', /\.(eml|msg)$/i, /^message\/rfc822\b/],
  ['Web page', /\.html?$/i, /^text\/html\b/],
  ['Text', /\.(txt|md|log)$/i, /^text\//],
];

/** “Excel” in place of application/vnd.openxmlformats-officedocument.spreadsheetml.sheet. The bytes may be something else. */
export function fileType(filename: string, contentType: string): string {
  const byEnding = NAMES.find(([, ending]) => ending.test(filename));
  const [name] = byEnding ?? NAMES.find(([, , type]) => type.test(contentType)) ?? ['File'];
  return name;
}
