import type { Snapshot } from './snapshot.ts';
import type { Suggestion } from './suggestion.ts';

/** The text around the cursor as it will be when the suggestion is taken. */
export function afterAccept(snapshot: Snapshot, { text, replaces }: Suggestion): Snapshot {
  const { line, character } = snapshot.position;
  const lines = text.split('\n');
  const start = lines.length === 1 ? character : 0;
  return {
    ...snapshot,
    position: { line: line + lines.length - 1, character: start + (lines.at(-1) ?? '').length },
    prefix: snapshot.prefix + text,
    suffix: snapshot.suffix.slice(replaces),
  };
}
