import type { StyleInput, StyleSample } from './model-styles.fixture.ts';

type FormatAnswer = (input: StyleInput) => string;

const createSample = (
  [language, info, path]: readonly [language: string, info: string, path: string],
  [before, after]: readonly [before: string, after: string],
  [original, expectedText, instruction]: readonly [string, string, string],
  comment?: readonly [string, string],
): StyleSample => ({
  language,
  info,
  path,
  textBefore: before,
  textAfter: after,
  originalText: original,
  expectedText,
  instruction,
  ...(comment === undefined ? {} : { commentMarks: comment }),
});

/** Documents for the formats in this file. No other corpus contains these documents. */
export const habitSamples: readonly StyleSample[] = [
  createSample(
    ['kotlin', 'kotlin', 'app/src/Tram.kt'],
    ['package tram\n\nclass Tram(private val stops: List<Stop>) {', '}'],
    [
      '    fun next(now: Int): Stop? {\n        return stops.first { it.minute > now }\n    }',
      '    /** The next stop after [now], or null at the end of the line. */\n    fun next(now: Int): Stop? =\n        stops.firstOrNull { it.minute > now && !it.isClosed }\n            ?: stops.lastOrNull()?.takeIf { it.isTerminus }',
      'Skip closed stops and fall back to the terminus',
    ],
    ['// ', ''],
  ),
  createSample(
    ['swift', 'swift', 'Sources/Kite/Wind.swift'],
    ['import Foundation\n\nstruct Wind {', '}'],
    [
      '    func gust(at hour: Int) -> Double {\n        return gusts[hour]!\n    }',
      '    func gust(at hour: Int) -> Double? {\n        guard let gust = gusts[hour], gust >= 0 else { return nil }\n        return gust * (isCoastal ? 1.2 : 1.0)\n    }',
      'Return nil for unknown hours, and add the coast factor',
    ],
    ['// ', ''],
  ),
  createSample(
    ['csharp', 'csharp', 'src/Orchard/Basket.cs'],
    ['namespace Orchard;\n\npublic sealed class Basket\n{', '}'],
    [
      '    public int Count()\n    {\n        return _fruits.Count;\n    }',
      '    public int Count(Func<Fruit, bool>? filter = null)\n    {\n        lock (_gate)\n        {\n            return filter is null ? _fruits.Count : _fruits.Count(filter);\n        }\n    }',
      'Accept an optional filter and lock',
    ],
    ['// ', ''],
  ),
  createSample(
    ['ruby', 'ruby', 'lib/quilt/patch.rb'],
    ['module Quilt\n  class Patch', '  end\nend'],
    [
      '    def area\n      width * height\n    end',
      '    # Area in square centimeters.\n    def area(unit: :cm)\n      factor = { cm: 1, mm: 100 }.fetch(unit) do |key|\n        raise ArgumentError, "unknown unit #{key}"\n      end\n      width * height * factor\n    end',
      'Support millimeters and reject other units',
    ],
    ['# ', ''],
  ),
  createSample(
    ['php', 'php', 'src/Recipe/Card.php'],
    ['<?php\n\nfinal class Card\n{', '}'],
    [
      '    public function title()\n    {\n        return $this->title;\n    }',
      "    public function title(?string $locale = null): string\n    {\n        $key = $locale ?? 'en';\n        return htmlspecialchars($this->titles[$key] ?? $this->title, ENT_QUOTES);\n    }",
      'Add a locale and escape the title',
    ],
    ['// ', ''],
  ),
  createSample(
    ['cpp', 'cpp', 'src/ring.cpp'],
    ['#include "ring.h"\n\nnamespace ring {\n', '\n}  // namespace ring'],
    [
      'void Ring::push(int value) {\n  items_.push_back(value);\n}',
      'bool Ring::push(int value) {\n  if (items_.size() >= capacity_) {\n    return false;  // full\n  }\n  items_.push_back(value);\n  return true;\n}',
      'Report a full ring',
    ],
    ['// ', ''],
  ),
  createSample(
    ['dart', 'dart', 'lib/lamp.dart'],
    ["import 'dart:async';\n\nclass Lamp {", '}'],
    [
      '  void toggle() {\n    isOn = !isOn;\n  }',
      "  Future<void> toggle({Duration delay = Duration.zero}) async {\n    await Future<void>.delayed(delay);\n    isOn = !isOn;\n    _log.add('lamp ${isOn ? 'on' : 'off'}');\n  }",
      'Add a delay and log the state',
    ],
    ['// ', ''],
  ),
  createSample(
    ['elixir', 'elixir', 'lib/ferry/queue.ex'],
    ['defmodule Ferry.Queue do', 'end'],
    [
      '  def board(queue, car) do\n    queue ++ [car]\n  end',
      '  def board(%{cars: cars, limit: limit} = queue, car) when length(cars) < limit do\n    {:ok, %{queue | cars: cars ++ [car]}}\n  end\n\n  def board(_queue, _car), do: {:error, :full}',
      'Return an error tuple if the ferry is full',
    ],
    ['# ', ''],
  ),
  createSample(
    ['toml', 'toml', 'config/garden.toml'],
    ['title = "Garden"\n', '\n[paths]\nlog = "garden.log"'],
    [
      '[water]\nhour = 6\nliters = 12',
      '[water]\nhour = 5\nliters = 12.5\nskip_if_rain = true\n\n[water.zones]\nroses = { liters = 4, days = ["mon", "thu"] }',
      'One hour earlier, half a liter more, skip in rain, and add a zone for the roses',
    ],
    ['# ', ''],
  ),
  createSample(
    ['dockerfile', 'dockerfile', 'deploy/Dockerfile'],
    ['FROM node:24-slim', 'CMD ["node", "main.js"]'],
    [
      'COPY . .\nRUN npm install',
      'WORKDIR /app\nCOPY package*.json ./\nRUN npm ci --omit=dev \\\n    && npm cache clean --force\nCOPY . .',
      'Use npm ci with a cached layer',
    ],
    ['# ', ''],
  ),
  createSample(
    ['css', 'css', 'site/card.css'],
    ['.page {\n  margin: 0;\n}\n', '\n.footer {\n  color: gray;\n}'],
    [
      '.card {\n  padding: 8px;\n}',
      '.card {\n  padding: 8px 12px;\n  border-radius: 4px;\n\n  &:hover {\n    box-shadow: 0 1px 3px rgb(0 0 0 / 20%);\n  }\n}',
      'Wider, round, and with a shadow on hover',
    ],
    ['/* ', ' */'],
  ),
  createSample(
    ['vue', 'vue', 'src/Counter.vue'],
    ['<template>\n  <section>', '  </section>\n</template>'],
    [
      '    <button @click="count++">{{ count }}</button>',
      '    <button type="button" :disabled="count >= max" @click="count++">\n      {{ count }} of {{ max }}\n    </button>\n    <p v-if="count >= max">Sold out &amp; closed</p>',
      'Stop at the maximum and say that it is sold out',
    ],
    ['<!-- ', ' -->'],
  ),
  createSample(
    ['javascript', 'js', 'src/tide.js'],
    ["import { moon } from './moon.js';\n", '\nexport default tide;'],
    [
      'function tide(hour) {\n  return moon(hour) * 2;\n}',
      'async function tide(hour, { harbor = "north" } = {}) {\n  const level = await moon(hour, harbor);\n  if (Number.isNaN(level)) throw new RangeError(`no tide at ${hour}`);\n  return Math.round(level * 20) / 10;\n}',
      'Make it async with a harbor, reject unknown hours, and round',
    ],
    ['// ', ''],
  ),
  createSample(
    ['python', 'python', 'kiln/fire.py'],
    ['import time\n\n\nclass Kiln:', '\n    def stop(self):\n        self.on = False'],
    [
      '    def fire(self, heat):\n        self.heat = heat\n        self.on = True',
      '    def fire(self, heat: int, *, minutes: int = 30) -> None:\n        """Fires the kiln.\n\n        Example:\n            >>> Kiln().fire(900)\n        """\n        if not 0 < heat <= 1300:\n            raise ValueError(f"heat {heat} is out of range")\n        self.heat, self.on = heat, True\n        self.until = time.monotonic() + minutes * 60',
      'Check the range, add a duration and a docstring with an example',
    ],
    ['# ', ''],
  ),
  createSample(
    ['lua', 'lua', 'scripts/door.lua'],
    ['local door = {}\n', '\nreturn door'],
    [
      'function door.open(self)\n  self.state = "open"\nend',
      'function door.open(self, key)\n  if self.locked and key ~= self.key then\n    return nil, "locked"\n  end\n  self.state = "open"\n  return true\nend',
      'Check the key of a locked door',
    ],
    ['-- ', ''],
  ),
  createSample(
    ['markdown', 'markdown', 'docs/camp.md'],
    ['# Camp\n', '\n## Map\n\nSee the map.'],
    [
      'The camp open in June. Bring a tent.',
      'The camp opens in June and closes in September. Bring a tent, a lamp and warm clothes.',
      'Fix the grammar, add that it closes in September, and a lamp and warm clothes',
    ],
    ['<!-- ', ' -->'],
  ),
  createSample(
    ['graphql', 'graphql', 'schema/library.graphql'],
    ['type Query {\n  books: [Book!]!\n}\n', '\nscalar Date'],
    [
      'type Book {\n  id: ID!\n  title: String\n}',
      '"""A book of the library."""\ntype Book implements Node {\n  id: ID!\n  title: String!\n  due(after: Date): Date\n  authors(first: Int = 10): [Author!]!\n}',
      'Document it, require the title, and add the due date and authors',
    ],
    ['# ', ''],
  ),
  createSample(
    ['powershell', 'powershell', 'tools/Backup.ps1'],
    ["$ErrorActionPreference = 'Stop'\n", '\nWrite-Output "done"'],
    [
      'Copy-Item $Source $Target',
      'if (-not (Test-Path $Target)) {\n    New-Item -ItemType Directory -Path $Target | Out-Null\n}\nGet-ChildItem $Source -Filter *.db |\n    Copy-Item -Destination $Target -Force',
      'Create the target and copy only databases',
    ],
    ['# ', ''],
  ),
];

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const indentLines = (text: string, indent: string): string => text.replaceAll(/^(?=.)/gmu, indent);

/** Answer formats of particular model families, including errors of chat templates and of small models. */
export const habitFormats: Readonly<Record<string, FormatAnswer>> = {
  // Reasoning models and their templates.
  'R1: reasoning without an opening tag': ({ createFence }) =>
    `Okay, the user wants a change here. Let me think about the edge cases.\n\nI should keep the style.\n</think>\n\n${createFence()}`,
  'R1: reasoning with a draft in it': ({ createFence, sample, code }) =>
    `<think>\nFirst idea:\n${createFence(sample.originalText)}\nNo, that misses a part.\n</think>\n${code}`,
  'R1: closing tag on the line of the code': ({ code }) => `Small change needed.</think>${code}`,
  'R1: boxed answer': ({ createFence }) => `**Final Answer**\n\\boxed{\n${createFence()}\n}`,
  'Qwen: switch after the answer': ({ createFence }) =>
    `<think>\n\n</think>\n\n${createFence()}\n/no_think`,
  'Qwen: repository tokens': ({ code, sample }) =>
    `<|repo_name|>demo\n<|file_sep|>${sample.path}\n${code}`,
  'gpt-oss: channels': ({ code }) =>
    `<|channel|>analysis<|message|>We only change the selection.<|end|><|start|>assistant<|channel|>final<|message|>${code}<|return|>`,
  'gpt-oss: channel names without tokens': ({ code }) =>
    `analysisWe only change the selection.assistantfinal${code}`,
  'gpt-oss: call in the commentary channel': ({ code }) =>
    `<|channel|>commentary to=functions.edit <|constrain|>json<|message|>${JSON.stringify({ text: code })}<|call|>`,
  'GLM: box tokens': ({ code }) => `<|begin_of_box|>${code}<|end_of_box|>`,
  'Kimi: tool section': ({ code }) =>
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.edit:0<|tool_call_argument_begin|>${JSON.stringify({ text: code })}<|tool_call_end|><|tool_calls_section_end|>`,
  'Magistral: reasoning in brackets': ({ code }) => `[THINK]One line changes.[/THINK]\n\n${code}`,
  // Hosted chat models.
  'Gemini: key improvements': ({ createFence }) =>
    `${createFence()}\n\nKey improvements and explanations:\n\n*   **Clarity:** The intent is easier to read.\n*   **Safety:** Invalid input is rejected.\n\nThis revised version is more robust.`,
  'Gemini: previous code comment': ({ createFence, formatComment, code }) =>
    createFence(
      `${formatComment('... (previous code)')}\n${code}\n${formatComment('... (rest of the file)')}`,
    ),
  'Gemini: notes of a code viewer': ({ createFence, lines, formatComment }) =>
    createFence(
      lines
        .map((line) => (line.trim() === '' ? line : `${line} ${formatComment('[!code ++]')}`))
        .join('\n'),
    ),
  'Claude: looking at the code': ({ createFence }) =>
    `Looking at the code, I can see what needs to change.\n\n${createFence()}\n\nThe key change is in the condition; everything else stays the same.`,
  'Claude: new tag': ({ code }) => `<new_selection>\n${code}\n</new_selection>`,
  'Claude: old and new tags': ({ code, sample }) =>
    `<change path="${sample.path}">\n<old>\n${sample.originalText}\n</old>\n<new>\n${code}\n</new>\n</change>`,
  'GPT: emoji heading': ({ createFence }) =>
    `✅ **Updated version**\n\n${createFence()}\n\n🔧 **What changed**\n\n• Only the requested part`,
  'GPT: emoji heading without a fence': ({ code }) => `✅ Here's the fixed version:\n\n${code}`,
  'GPT: steps': ({ createFence }) =>
    `1. Replace the selection with:\n\n${indentLines(createFence(), '   ')}\n\n2. Save the file.`,
  'GPT: cannot edit the file': ({ createFence }) =>
    `I can't edit the file directly, but you can replace the selection with this:\n\n${createFence()}`,
  'Cursor: line range and path': ({ code, sample }) =>
    `\`\`\`12:18:${sample.path}\n${code}\n\`\`\``,
  'Copilot: name and address': ({ code, sample }) =>
    `\`\`\`\`${sample.info} name=${sample.path} url=https://example.com/${sample.path}\n${code}\n\`\`\`\``,
  'two parts': ({ lines, createFence }) =>
    `Part 1:\n\n${createFence(lines.slice(0, 2).join('\n'))}\n\nPart 2:\n\n${createFence(lines.slice(2).join('\n'))}`,
  'only the last line': ({ lines, createFence }) =>
    `Change the last line to:\n\n${createFence(lines.at(-1))}\n\nThe rest can stay.`,
  'front matter': ({ code, sample }) =>
    `---\nfile: ${sample.path}\nlanguage: ${sample.info}\n---\n${code}`,
  'status object': ({ code }) => JSON.stringify({ status: 'success', data: { code } }, null, 2),
  'escaped pre element': ({ code, sample }) =>
    `<pre><code class="language-${sample.info}">${escapeHtml(code)}\n</code></pre>`,
  'raw event stream': ({ lines }) =>
    `${lines.map((line) => `data: ${JSON.stringify({ choices: [{ delta: { content: `${line}\n` } }] })}`).join('\n\n')}\n\ndata: [DONE]`,
  'end of a stream': ({ code }) => `${code}\n\n[DONE]`,
  'usage of tokens': ({ code }) => `${code}\n\n(prompt: 812 tokens, completion: 96 tokens)`,
  // Small models and wrong templates.
  'Llama: instruction and response headings': ({ code, sample }) =>
    `### Instruction:\n${sample.instruction ?? ''}\n\n### Response:\n${code}`,
  'Llama: note after a fence': ({ createFence }) =>
    `Here is the modified code:\n\n${createFence(undefined, '')}\n\nNote that I've only modified the selected part.`,
  'CodeLlama: language tags': ({ code, sample }) =>
    `[${sample.info.toUpperCase()}]\n${code}\n[/${sample.info.toUpperCase()}]`,
  'CodeLlama: end of the instruction': ({ code }) => `[/INST] ${code} </s>`,
  'StarCoder: commit tokens': ({ code, sample }) =>
    `<commit_before>${sample.originalText}<commit_msg>Change it<commit_after>${code}<|endoftext|>`,
  'Gemma: next turn': ({ createFence }) =>
    `${createFence()}<end_of_turn>\n<start_of_turn>user\nThanks<end_of_turn>`,
  'Phi: invented next task': ({ code }) =>
    `${code}\n\n---\n\n**Input:** Write a test.\n\n**Output:** A test.`,
  'echo of the selection': ({ code, sample }) =>
    `<selection>\n${sample.originalText}\n</selection>\n<replacement>\n${code}\n</replacement>`,
  'unclosed fence, then a heading': ({ code, sample }) =>
    `\`\`\`${sample.info}\n${code}\n### End of response`,
  'end marker of a file': ({ code }) => `${code}\n<EOF>`,
  'no-break spaces as indentation': ({ lines }) =>
    lines
      .map((line) => line.replace(/^ +/u, (spaces) => '\u00A0'.repeat(spaces.length)))
      .join('\n'),
  'zero-width characters': ({ code, createFence }) => createFence(`\u200B${code}\u200B`),
  'carriage returns': ({ createFence }) => createFence().replaceAll('\n', '\r\n'),
  'spaces at line ends': ({ lines }) => lines.map((line) => `${line}  `).join('\n'),
  'cut at the token limit': ({ code }) => code.slice(0, Math.floor(code.length * 0.7)),
  'cut at the token limit, in a fence': ({ code, sample }) =>
    `\`\`\`${sample.info}\n${code.slice(0, Math.floor(code.length * 0.7))}`,
  // Remarks in other languages.
  'Turkish remark around a fence': ({ createFence }) =>
    `İşte güncellenmiş kod:\n\n${createFence()}\n\nBaşka bir değişiklik isterseniz söyleyin.`,
  'Polish remark before the code': ({ code }) => `Oto poprawiony kod:\n\n${code}`,
  'Arabic remark before the code': ({ code }) => `إليك الكود المعدل:\n\n${code}`,
  'Hindi remark around a fence': ({ createFence }) =>
    `यहाँ अपडेट किया गया कोड है:\n\n${createFence()}\n\nमैंने केवल आवश्यक भाग बदला है।`,
  'Vietnamese remark after the code': ({ code }) =>
    `${code}\n\nMình chỉ sửa phần được yêu cầu, phần còn lại giữ nguyên.`,
  'Dutch remark after the code': ({ code }) =>
    `${code}\n\nIk heb alleen het gevraagde deel aangepast.`,
  'Indonesian remark before the code': ({ code }) =>
    `Berikut kode yang telah diperbarui:\n\n${code}`,
};
