import parser from '@babel/eslint-parser';
import reactHooks from 'eslint-plugin-react-hooks';

const checked = (files, plugins) => ({
  files,
  languageOptions: {
    parser,
    parserOptions: { requireConfigFile: false, babelOptions: { configFile: false, babelrc: false, parserOpts: { plugins } } },
  },
  plugins: { 'react-hooks': reactHooks },
  rules: {
    ...Object.fromEntries(Object.keys(reactHooks.configs.flat['recommended-latest'].rules).map((rule) => [rule, 'error'])),
    // Says only that React's compiler skips a component that uses TanStack Virtual. The pages are not compiled by it.
    'react-hooks/incompatible-library': 'off',
  },
});

/** The rules of React, those of its compiler included. Biome checks everything else. */
export default [checked(['**/*.tsx'], ['typescript', 'jsx']), checked(['**/*.ts'], ['typescript'])];
