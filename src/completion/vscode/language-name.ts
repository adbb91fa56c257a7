import * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';

/** `TypeScript` for `typescript`: as the extension that brings the language calls it, else the id in quotes. */
export function languageName(id: string): string {
  const known = names.get(id) ?? contributedName(id) ?? `“${id}”`;
  names.set(id, known);
  return known;
}

/** Looking through all extensions takes too long for every change of the status. */
const names = new Map<string, string>();

function contributedName(id: string): string | undefined {
  for (const { packageJSON } of vscode.extensions.all) {
    const name = nameIn(packageJSON, id);
    if (name !== undefined) return name;
  }
  return undefined;
}

function nameIn(manifest: unknown, id: string): string | undefined {
  const contributes = isRecord(manifest) ? manifest['contributes'] : undefined;
  const languages = isRecord(contributes) ? contributes['languages'] : undefined;
  if (!Array.isArray(languages)) return undefined;
  for (const language of languages) {
    if (!isRecord(language) || language['id'] !== id || !Array.isArray(language['aliases']))
      continue;
    const name: unknown = language['aliases'][0];
    if (typeof name === 'string' && name !== '') return name;
  }
  return undefined;
}
