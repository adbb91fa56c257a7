const vscode = require('vscode');

exports.activate = (context) => {
  const controller = vscode.tests.createTestController('tides', 'Tides');
  const [folder] = vscode.workspace.workspaceFolders;
  const file = vscode.Uri.joinPath(folder.uri, 'src', 'tide.ts');
  controller.items.add(controller.createTestItem('flood', 'Flood is high', file));
  context.subscriptions.push(controller);
};
