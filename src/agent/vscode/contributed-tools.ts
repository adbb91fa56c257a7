import type { Disposable } from '../../base/disposable.ts';
import type { Event } from '../../base/event.ts';
import { isRecord } from '../../base/json.ts';

/** What the editor knows of its extensions. */
export interface Extensions {
  readonly all: readonly { readonly packageJSON: unknown }[];
  readonly onDidChange: Event<void>;
}

/** The tools that extensions which the person installed declare. All others are the editor's own. */
export class ContributedTools implements Disposable {
  readonly #extensions: Extensions;
  readonly #subscription: Disposable;
  #names: ReadonlySet<string> | undefined;

  constructor(extensions: Extensions) {
    this.#extensions = extensions;
    this.#subscription = extensions.onDidChange(() => (this.#names = undefined));
  }

  /** Read once until extensions come or go: there can be hundreds, and every request asks. */
  get names(): ReadonlySet<string> {
    this.#names ??= new Set(this.#extensions.all.flatMap(toolNames));
    return this.#names;
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

function toolNames({ packageJSON }: Extensions['all'][number]): string[] {
  if (!isRecord(packageJSON) || packageJSON['isBuiltin'] === true) return [];
  const { contributes } = packageJSON;
  const tools = isRecord(contributes) ? contributes['languageModelTools'] : undefined;
  if (!Array.isArray(tools)) return [];
  const names = tools.map((tool: unknown) => (isRecord(tool) ? tool['name'] : undefined));
  return names.filter((name) => typeof name === 'string');
}
