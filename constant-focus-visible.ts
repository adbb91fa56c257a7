import type { Plugin } from 'esbuild';

/**
 * Build plugin that replaces the toolkit's detection of `:focus-visible` with a constant, because every supported
 * browser has this selector. The detection inserts a style element, which violates the content security policy of the
 * pages.
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
