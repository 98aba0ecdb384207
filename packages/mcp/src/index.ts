export { createHandler, type Handler } from './http.ts';
export { RESULT_MAX_CHARS } from './limits.ts';
export { createServer, tools } from './server.ts';
export { type StdioOptions, serveStdio } from './stdio.ts';
export type { Workplace } from './tool.ts';
