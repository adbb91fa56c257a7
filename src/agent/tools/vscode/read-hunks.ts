import type { Hunk } from '../../edit/hunk.ts';
import type { ToolArguments } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { defined, isRecord } from '../../../base/json.ts';

/** The edits of a call, which was checked against the schema; a hand-made one may still be wrong. */
export function readHunks({ edits }: ToolArguments): Hunk[] {
  if (!Array.isArray(edits) || edits.length === 0) {
    throw new ToolError('bad-arguments', '"edits" must be a list with at least one edit.');
  }
  return edits.map(readHunk);
}

function readHunk(edit: unknown, index: number): Hunk {
  const { search, replace, occurrence, all } = isRecord(edit) ? edit : {};
  if (typeof search !== 'string' || typeof replace !== 'string') {
    throw new ToolError(
      'bad-arguments',
      `Edit ${index + 1} needs the texts "search" and "replace".`,
    );
  }
  return {
    search,
    replace,
    ...defined({
      occurrence: typeof occurrence === 'number' ? occurrence : undefined,
      all: all === true ? true : undefined,
    }),
  };
}
