import type * as vscode from 'vscode';
import type { ContextOffer } from '../../protocol/composer.ts';
import type { NamedPrompt } from './prompt-files.ts';
import type { NamedSymbol } from './symbols.ts';

/** What an offer stands for. The page knows its id alone. */
export type OfferTarget =
  | { readonly kind: 'file' | 'folder'; readonly uri: vscode.Uri }
  | { readonly kind: 'symbol'; readonly symbol: NamedSymbol }
  | { readonly kind: 'selection' | 'problems' | 'changes' | 'terminal' | 'codebase' }
  | { readonly kind: 'command'; readonly name: string }
  | { readonly kind: 'prompt'; readonly prompt: NamedPrompt };

export interface OfferText {
  readonly insert: string;
  readonly label: string;
  readonly detail?: string;
}

/** Offers of long ago are forgotten. */
const mostKept = 400;
const longestText = 300;

/** What was offered to a page, by the ids that it was told. */
export class Offers {
  readonly #targets = new Map<string, OfferTarget>();
  #next = 0;

  make(target: OfferTarget, { insert, label, detail = '' }: OfferText): ContextOffer {
    const id = `o${this.#next}`;
    this.#next += 1;
    this.#targets.set(id, target);
    const [oldest] = this.#targets.keys();
    if (this.#targets.size > mostKept && oldest !== undefined) this.#targets.delete(oldest);
    return {
      id,
      kind: target.kind,
      insert: insert.slice(0, longestText),
      label: label.slice(0, longestText),
      detail: detail.slice(0, longestText),
    };
  }

  find(id: string): OfferTarget | undefined {
    return this.#targets.get(id);
  }
}
