import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import { env, extensions, workspace } from 'vscode';

suite('the VS Code window of these tests', () => {
  test('opens the sample workspace', () => {
    assert.equal(workspace.workspaceFolders?.length, 1);
  });

  test('activates the extension', () => {
    assert.ok(extensions.getExtension('inference-service.inference-service'), env.appName);
  });
});
