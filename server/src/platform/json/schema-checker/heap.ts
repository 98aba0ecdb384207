import v8 from 'node:v8';
import vm from 'node:vm';

v8.setFlagsFromString('--expose-gc');
const collectGarbage: () => void = vm.runInNewContext('gc');

export function isFuller(bytes: number): boolean {
  if (v8.getHeapStatistics().used_heap_size <= bytes) return false;
  collectGarbage();
  return v8.getHeapStatistics().used_heap_size > bytes;
}
