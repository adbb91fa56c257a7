import { posix } from 'node:path';
import * as vscode from 'vscode';
import { ToolError } from '../../workspace/tool-error.ts';
import { formatUsd } from '../../base/amounts.ts';
import { omitUndefined, type JsonRecord, readStringOr } from '../../base/json.ts';
import {
  chooseFormat,
  chooseModel,
  chooseVoice,
  computeSpeechCost,
  listSpeechModels,
} from '../../speech/speech-model.ts';
import { maxSpeechInputLength, readSpeech, type SpeechRequest } from '../../service/speech.ts';
import type { Cost } from '../../service/chat/chat-types.ts';
import type { PathResolver } from '../../workspace/vscode/paths.ts';
import type { Host } from '../../host.ts';
import { getSetting } from '../../platform/settings.ts';
import {
  type NativeResult,
  type NativeTool,
  type PlannedCall,
  readTextArgument,
} from './native-tool.ts';

/** Name of the folder for audio files. The folder is in the first workspace folder. */
const folderName = 'audio';

/** Converts a text to speech in a new audio file in the workspace. */
export class SpeakTool implements NativeTool {
  readonly #host: Host;
  readonly #paths: PathResolver;

  constructor(host: Host, paths: PathResolver) {
    this.#host = host;
    this.#paths = paths;
  }

  async plan(input: JsonRecord): Promise<PlannedCall> {
    const text = readTextArgument(input, 'text', maxSpeechInputLength);
    const requestedModel = getSetting('inferenceService.speech.model');
    const model = chooseModel(listSpeechModels(this.#host.models.models), requestedModel);
    if (model === undefined) throw new ToolError('failed', 'The service has no speech model.');
    const request: SpeechRequest = omitUndefined({
      model: model.id,
      input: text,
      voice: chooseVoice(model, readStringOr(input['voice'], '')),
      format: chooseFormat(model, ['mp3', 'wav']),
    });
    const path = await this.#findUnusedPath(text, request.format);
    const cost = computeSpeechCost(model, text.length);
    const price = cost?.usd === undefined ? '' : formatUsd(cost.usd);
    return {
      question:
        price === ''
          ? vscode.l10n.t('Read this text aloud into {0}?', path)
          : `${vscode.l10n.t('Read this text aloud into {0}?', path)} (${price})`,
      detail: text,
      progressMessage: vscode.l10n.t('Reading aloud'),
      target: path,
      price,
      ...(cost?.usd === undefined ? {} : { expectedCost: cost.usd }),
      run: (signal) => this.#speakText({ request, path, cost, signal }),
    };
  }

  async #speakText({ request, path, cost, signal }: SpeakOptions): Promise<NativeResult> {
    const audio = await readSpeech(this.#host.service, request, { signal, price: cost });
    // The path is checked again, because during synthesis a link may have replaced the folder or
    // another file may use the name.
    const { uri, facts } = await this.#paths.resolvePath(path);
    if (facts.kind !== 'missing' || !facts.isInWorkspace || !facts.isRealPathInWorkspace) {
      throw new ToolError('refused-path', `The file ${path} cannot be written there any more.`);
    }
    await vscode.workspace.fs.writeFile(uri, audio);
    return omitUndefined({
      text: `Saved as ${path} (${request.format}, ${audio.length} bytes).`,
      cost,
    });
  }

  /**
   * Returns the path of a file that does not exist yet.
   * @throws ToolError if there is no workspace folder or the path is outside the workspace
   */
  async #findUnusedPath(text: string, format: string): Promise<string> {
    const fileStem = createSlug(text);
    for (let copyNumber = 1; copyNumber < 1_000; copyNumber += 1) {
      const name = `${fileStem}${copyNumber === 1 ? '' : `-${copyNumber}`}.${format}`;
      const path = posix.join(folderName, name);
      const { facts, label } = await this.#paths.resolvePath(path);
      if (!facts.isInWorkspace || !facts.isRealPathInWorkspace) {
        throw new ToolError('refused-path', `The folder ${folderName} leads out of the workspace.`);
      }
      if (facts.kind === 'missing') return label;
    }
    throw new ToolError('failed', `There are too many files in ${folderName}.`);
  }
}

interface SpeakOptions {
  readonly request: SpeechRequest;
  readonly path: string;
  readonly cost: Cost | undefined;
  readonly signal: AbortSignal;
}

/**
 * Builds a file name from the letters and digits of the first words of a text. The name starts with `speech`, so that
 * it cannot be a reserved device name.
 */
function createSlug(text: string): string {
  const words =
    text
      .slice(0, 200)
      .toLowerCase()
      .normalize('NFKD')
      .match(/[a-z\d]+/gu) ?? [];
  return ['speech', ...words].join('-').slice(0, 48).replace(/-$/u, '');
}
