import type { Tool } from '../../tool.ts';
import type { EditTools } from './ports.ts';
import { Lazy } from '../../../base/lazy.ts';

export function editCellsTool(tools: EditTools): Tool {
  const editing = new Lazy(async () => {
    const { notebooks } = await import('./notebooks.ts');
    return notebooks.createCellEditing(tools);
  });
  return {
    name: 'edit_cells',
    summary: 'inserts, deletes or retypes cells of a notebook',
    kind: 'edit',
    description:
      'Changes the cells of a notebook, all or none; the file is saved. Ids of cells are those that read_file shows. To change the text of a cell, use edit_file with "cell".',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the workspace folder.' },
        changes: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            properties: {
              action: { enum: ['insert', 'delete', 'retype'] },
              cell: {
                type: 'string',
                description: 'Id of the cell; for insert, of its neighbor (default: at the end).',
              },
              position: { enum: ['before', 'after'], description: 'For insert; default after.' },
              type: { enum: ['code', 'markdown', 'raw'], description: 'For insert and retype.' },
              source: { type: 'string', description: 'Text of an inserted cell.' },
            },
            required: ['action'],
            additionalProperties: false,
          },
        },
      },
      required: ['path', 'changes'],
      additionalProperties: false,
    },
    plan: async (args, context) => (await editing.get()).plan(args, context),
    run: async (args, context) => (await editing.get()).run(args, context),
  };
}
