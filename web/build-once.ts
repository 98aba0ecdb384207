import { builtPages } from '../server/src/platform/processes/web-build.ts';

/** Builds the pages as the first start would, for deployments with built pages. */
console.log(`The pages are in ${await builtPages(console.log)}.`);
