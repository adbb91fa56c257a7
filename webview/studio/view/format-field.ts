import type { TemplateResult } from 'lit';
import type { CreateDraft } from '../../../src/image/studio/protocol/state.ts';
import { type Problem, problemOf } from '../form-rules.ts';
import { words } from '../messages.ts';
import { field, select } from './field.ts';

const formats = ['png', 'jpeg', 'webp'] as const;

/** What kind of file the picture becomes. */
export const formatField = (
  format: CreateDraft['format'],
  problems: readonly Problem[],
  change: (format: CreateDraft['format']) => void,
): TemplateResult =>
  field({
    id: 'format',
    label: words.format,
    problem: problemOf(problems, 'format'),
    control: select({
      id: 'format',
      value: format ?? '',
      options: [
        { value: '', label: words.formatDefault },
        ...formats.map((each) => ({ value: each, label: each.toUpperCase() })),
      ],
      change: (value) => change(formats.find((each) => each === value) ?? null),
    }),
  });
