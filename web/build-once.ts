import { builtPages } from '../server/src/platform/web-build.ts';

/** What the first start would do otherwise, for those who bring the pages along built. */
console.log(`The pages are in ${await builtPages(console.log)}.`);
