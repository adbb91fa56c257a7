import assert from 'node:assert/strict';
import { getDataPartClass } from '../../src/platform/newer-vscode.ts';

const dataPartClass = getDataPartClass();
assert.ok(dataPartClass, 'The suites run in VS Code 1.106 or newer.');

/**
 * Class `LanguageModelDataPart` of the VS Code API. Never undefined, because all versions of VS Code in which the
 * suites run have this class.
 */
export const DataPart = dataPartClass;
