import * as vscode from 'vscode';
import { ToolError } from '../../workspace/tool-error.ts';
import { formatUsd } from '../../base/amounts.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import type { JsonRecord } from '../../base/json.ts';
import { augmentPrice, scrapePage } from '../../service/augment.ts';
import { isPublicAddress } from '../../service/http/public-address.ts';
import type { Host } from '../../host.ts';
import { type NativeTool, type PlannedCall, textOf } from './native-tool.ts';
import { fromTheWeb } from './web-tools.ts';

/** Characters. */
const longestOutput = 60_000;

/** Characters of an address behind its host, and of its query: what is longer can carry a file away. */
const longestPath = 200;
const longestSearch = 60;

/** Has the service fetch a page of the web. Nothing is opened from this machine. */
export class ReadPageTool implements NativeTool {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async plan(input: JsonRecord): Promise<PlannedCall> {
    const asked = textOf(input, 'url', 2_048);
    if (!isPublicAddress(asked)) {
      throw new ToolError(
        'bad-arguments',
        'url must be an http or https address of the public web, without a user name.',
      );
    }
    const { href, host, origin, search } = new URL(asked);
    const isLong = href.length - origin.length > longestPath || search.length > longestSearch;
    const price = formatUsd(augmentPrice);
    return {
      question: vscode.l10n.t('Read a page of {0} for {1}?', host, price),
      detail: href,
      progress: vscode.l10n.t('Reading a page of {0}', host),
      target: href,
      price,
      tells: { host, isLong },
      run: async (signal) => {
        const { content, isCut } = await scrapePage(this.#host.service, href, { signal });
        const clean = stripHiddenCharacters(content).text;
        const cut = isCut || clean.length > longestOutput ? '\n\n[The page goes on.]' : '';
        return { text: `${fromTheWeb}\n\n${href}\n\n${clean.slice(0, longestOutput)}${cut}` };
      },
    };
  }
}
