import { applyBlock } from '../../../src/agent/answer/apply-block.ts';
import { readEditAnswer } from '../../../src/agent/answer/edit-answer.ts';
import { readCommitMessage } from '../../../src/agent/answer/commit-message.ts';
import type { CorpusAnswer, CorpusEdit } from './corpus-text.ts';
import { rateAnswer, type Rating } from './rate-answer.ts';
import type { CorpusBlock } from './answer-forms.ts';

/** Result of one answer of a corpus. */
export interface CorpusResult {
  readonly form: string;
  readonly rating: Rating;
  readonly answer: string;
  /** Text that the tested function returned. Undefined if the function refused the answer. */
  readonly text: string | undefined;
  readonly reason: string | undefined;
  readonly acceptedTexts: readonly string[];
  readonly source: string;
}

/** Reads each answer to an edit request with `readEditAnswer`, and rates the result. */
export function measureAnswers(
  edit: CorpusEdit,
  answers: readonly CorpusAnswer[],
): readonly CorpusResult[] {
  const { before, original, after, language, path, instruction, usesTabs, tabSize } = edit;
  return answers.map(({ name, expectation, text: answer, isCutOff, isTextAccepted }) => {
    const result = readEditAnswer(
      answer,
      { before, original, after, language, path, instruction, usesTabs, tabSize },
      isCutOff ? 'length' : 'stop',
    );
    const text = result.kind === 'lines' ? result.lines.join('\n') : undefined;
    const { acceptedTexts } = edit;
    const textWithAnyIndent = isTextAccepted === true ? answer : undefined;
    return {
      form: name,
      rating: rateAnswer(text, {
        expectation,
        acceptedTexts,
        textWithAnyIndent,
        original: original.join('\n'),
      }),
      answer,
      text,
      reason:
        result.kind === 'refused'
          ? [result.reason, result.doubt ?? result.cause?.rule ?? ''].join(' ')
          : undefined,
      acceptedTexts,
      source: `${language} ${path}\n${original.join('\n')}`,
    };
  });
}

/** Applies each code block to the file of an edit with `applyBlock`, and rates the result. */
export function measureBlocks(
  edit: CorpusEdit,
  blocks: readonly CorpusBlock[],
): readonly CorpusResult[] {
  const formatFile = (linesText: string): string => {
    const text = [
      ...edit.before,
      ...(linesText === '' && edit.original.length === 0 ? [] : [linesText]),
      ...edit.after,
    ].join('\n');
    return edit.usesCrlf ? text.replaceAll('\n', '\r\n') : text;
  };
  const fileText = formatFile(edit.original.join('\n'));
  const acceptedTexts = edit.acceptedTexts.map(formatFile);
  return blocks.map(({ name, expectation, code, info }) => {
    const result = applyBlock(fileText, { code, info, lineBefore: '' }, edit.path);
    const text = result.kind === 'applied' ? result.text : undefined;
    return {
      form: name,
      rating: rateAnswer(text, { expectation, acceptedTexts, original: fileText }),
      answer: code,
      text,
      reason: result.kind === 'refused' ? result.reason : undefined,
      acceptedTexts,
      source: `${edit.language} ${edit.path}\n${fileText}`,
    };
  });
}

/** Reads each answer with `readCommitMessage`, and rates the result against the commit message. */
export function measureCommits(
  message: string,
  answers: readonly CorpusAnswer[],
): readonly CorpusResult[] {
  return answers.map(({ name, expectation, text: answer, isCutOff, isTextAccepted }) => {
    const result = readCommitMessage(answer, isCutOff ? 'length' : 'stop');
    const acceptedTexts = isTextAccepted === true ? [message, answer] : [message];
    const text = result.kind === 'message' ? result.text : undefined;
    return {
      form: name,
      rating: rateAnswer(text, { expectation, acceptedTexts }),
      answer,
      text,
      reason: result.kind === 'refused' ? result.reason : undefined,
      acceptedTexts,
      source: message.split('\n')[0] ?? '',
    };
  });
}
