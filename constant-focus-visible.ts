import type { Plugin } from 'esbuild';

/**
 * Replaces the toolkit's detection of `:focus-visible` by its result in the browsers that the pages support. The detection
 * inserts a style element, which violates the content security policy of the pages.
 */
export const constantFocusVisible: Plugin = {
  name: 'constant-focus-visible',
  setup(build) {
    build.onLoad(
      { filter: /[\\/]fast-foundation[\\/]dist[\\/]esm[\\/]utilities[\\/]style[\\/]focus\.js$/ },
      () => ({ contents: "export const focusVisible = 'focus-visible';" }),
    );
  },
};
