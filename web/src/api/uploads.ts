import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { UploadPath } from '../../../packages/client/src/upload-parts.ts';
import { type Progress, Upload } from './upload.ts';

export interface Uploads {
  list: readonly Upload[];
  add(files: Iterable<File>): void;
  remove(upload: Upload): void;
  clear(): void;
  ids: string[] | undefined;
  /** Leaving the page would cancel uploads. */
  isUnfinished: boolean;
}

/** The files of an unsent message. Uploads start when files are chosen, and are cancelled on unmount. */
export function useUploads(path: UploadPath): Uploads {
  const [list, setList] = useState<readonly Upload[]>([]);
  const uploadIds = useIds(list);
  const latest = useRef(list);
  useEffect(() => {
    latest.current = list;
  }, [list]);
  useEffect(() => () => void cancelAll(latest.current), []);
  const add = useCallback(
    (files: Iterable<File>) => {
      const added = [...files].map((file) => new Upload(file, path));
      setList((known) => [...known, ...added]);
    },
    [path],
  );
  const remove = useCallback((upload: Upload) => {
    upload.cancel();
    setList((known) => known.filter((one) => one !== upload));
  }, []);
  const clear = useCallback(() => setList(cancelAll), []);
  return useMemo(() => {
    const ids = uploadIds === '' ? [] : uploadIds.split(' ');
    const isUnfinished = ids.length < list.length;
    return { list, add, remove, clear, isUnfinished, ids: isUnfinished ? undefined : ids };
  }, [list, uploadIds, add, remove, clear]);
}

export function useProgress(upload: Upload): Progress {
  return useSyncExternalStore(upload.subscribe, upload.progress);
}

function cancelAll(list: readonly Upload[]): Upload[] {
  for (const upload of list) upload.cancel();
  return [];
}

/** The ids are one string, so that components render only when it changes. */
function useIds(list: readonly Upload[]): string {
  const subscribe = useCallback(
    (listener: () => void) => {
      const ends = list.map((upload) => upload.subscribe(listener));
      return () => {
        for (const end of ends) end();
      };
    },
    [list],
  );
  return useSyncExternalStore(subscribe, () => list.flatMap((upload) => upload.progress().uploadId ?? []).join(' '));
}
