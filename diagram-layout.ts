import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const layered = '"elk.algorithm": "layered",';

/**
 * Build plugin that makes the drawing library lay out loops in the order of Mermaid: only an edge that leads back to a
 * node on its own path points backward. By default, the layout chooses the start of a loop by the numbers of edges.
 * The library has no option for this.
 */
export const diagramLayout: Plugin = {
  name: 'diagram-layout',
  setup(build) {
    build.onLoad({ filter: /[\\/]beautiful-mermaid[\\/]dist[\\/]index\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replaceAll(
        layered,
        `${layered} "elk.layered.cycleBreaking.strategy": "DEPTH_FIRST",`,
      );
      if (contents === source) throw new Error(`${path} no longer sets its layout as expected.`);
      return { contents };
    });
  },
};
