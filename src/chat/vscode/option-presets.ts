import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { otherEntries } from '../../base/stored-list.ts';
import { type ChatOptions, readChatOptions } from '../../conversation/chat-options.ts';

/** Options under a name, to be chosen in any conversation. */
export interface OptionPreset {
  readonly id: string;
  readonly name: string;
  readonly options: ChatOptions;
  /** Made by the person, who may remove it. */
  readonly own: boolean;
}

const key = 'chat.optionPresets';
const mostPresets = 50;

/** The presets of all windows: two of ours, then the person's own. */
export class OptionPresets {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get all(): readonly OptionPreset[] {
    return [...builtIn(), ...this.#own];
  }

  /** Another of the same name is replaced. What belongs to one conversation, its persona, is left out. */
  async save(name: string, { character: _character, ...options }: ChatOptions): Promise<void> {
    const others = this.#others((preset) => preset.name === name);
    const id = randomBytes(9).toString('base64url');
    const preset = { id, name: name.slice(0, 80), options };
    await this.#state.update(key, [...others, preset].slice(-mostPresets));
  }

  async remove(id: string): Promise<void> {
    await this.#state.update(
      key,
      this.#others((preset) => preset.id === id),
    );
  }

  /** Stored entries, without the presets that `isReplaced` accepts. */
  #others(isReplaced: (preset: OptionPreset) => boolean): readonly unknown[] {
    return otherEntries(this.#state.get(key), (entry) => readPreset(entry).some(isReplaced));
  }

  get #own(): readonly OptionPreset[] {
    const kept = this.#state.get<unknown>(key);
    return (Array.isArray(kept) ? kept : []).flatMap(readPreset);
  }
}

/** Returns no preset for an entry that cannot be read. */
function readPreset(value: unknown): readonly OptionPreset[] {
  if (!isRecord(value)) return [];
  const { id, name, options } = value;
  if (typeof id !== 'string' || typeof name !== 'string' || name === '') return [];
  if (id.length > 80 || name.length > 80) return [];
  return [{ id, name, options: readChatOptions(options), own: true }];
}

const builtIn = (): readonly OptionPreset[] => [
  {
    id: 'precise',
    name: vscode.l10n.t('Precise'),
    options: { temperature: 0.2, topP: 0.9 },
    own: false,
  },
  {
    id: 'creative',
    name: vscode.l10n.t('Creative'),
    options: { temperature: 1.1, topP: 1 },
    own: false,
  },
];
