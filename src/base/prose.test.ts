import { expect, test } from 'vitest';
import { classifyProse } from './prose.ts';

test.each([
  'Here is the code:',
  "Here's the completed function:",
  'here is the missing part:',
  'Sure! Here is the completion:',
  'Sure, I can help with that.',
  'Certainly! Below is the code.',
  'Of course!',
  'The missing code is:',
  'The function `f(a)` returns the sum.',
  'This code adds two numbers',
  'This function takes a list and returns its length.',
  'To complete this function, you can use the following code:',
  'Based on the context, the missing line is:',
  '**Explanation:**',
  'Explanation: the loop ends early.',
  'Note that `a` may be empty.',
  'I have completed the function.',
  "I'm sorry, but I cannot help with that.",
  "Let's finish the loop first:",
  '1. First we read the file.',
  'Output:',
])('classifyProse classifies %j as prose', (line) => {
  expect(classifyProse(line, true)).toBe('yes');
});

test.each([
  'return a;',
  'const total = 1',
  'Foo.bar()',
  'Foo::new()',
  'FROM node:20',
  'SELECT name',
  'RUN make',
  'If',
  'Promise<void>',
  'Array[0]',
  'Name: string',
  'Type: AWS::S3::Bucket',
  'private static readonly',
  'the',
  'public class Foo',
  'Dim x As Integer',
  '# Here is a comment in Python.',
  '// This is a comment.',
  '* This is the rest of a comment { }',
  '"Here is a text."',
  '- name: Run it',
  '<div>Here is a text.</div>',
  'raise ValueError("Here it is.")',
  'Feature: Login',
  'End Sub',
])('classifyProse classifies %j as code', (line) => {
  expect(classifyProse(line, true)).toBe('no');
});

test.each([
  'Here is the code:',
  'Sure',
  'This function returns the sum.',
  'the missing code is',
  '1. First',
])('classifyProse returns "maybe" for the start of %j until the line is complete', (line) => {
  for (let end = 1; end <= line.length; end += 1)
    expect(classifyProse(line.slice(0, end), false)).toBe(
      /^1$/u.test(line.slice(0, end)) ? 'no' : 'maybe',
    );
});
