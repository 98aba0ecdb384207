export function saveFile(content: Blob, filename: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = filename;
  link.click();
  // Later, because the browser still reads the blob.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
