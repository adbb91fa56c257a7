import { expect, test } from 'vitest';
import { outlineLimits, createOutline } from './outline.ts';

const typescriptSource = `
import { a } from './a.ts';

/** Replaces export function hidden(). */
export interface Options {
  readonly name: string;
  readonly deep: {
    readonly inner: number;
  };
}

export type Kind = 'a' | 'b';

export type Union =
  | { readonly kind: 'one' }
  | { readonly kind: 'two' };

export const limit = 5;
export const twice = (value: number): number => {
  return value * 2;
};

export async function load(
  path: string,
  options: Options,
): Promise<string> {
  if (path === '') return '';
  return read(path);
}

function helper(): void {}

export class Store extends Base {
  readonly size: number;
  #secret = 1;
  private other = 2;

  constructor(size: number) {
    super();
    this.size = size;
  }

  get(key: string): string | undefined {
    for (const x of y) {
      call(x);
    }
  }

  static of(call: () => void): Store {
    return new Store(1);
  }
}
`;

const outlines: readonly (readonly [languageId: string, text: string, outline: string])[] = [
  [
    'typescript',
    typescriptSource,
    `export interface Options {
  readonly name: string;
  readonly deep: {
    readonly inner: number;
  };
}
export type Kind = 'a' | 'b';
export type Union =
  | { readonly kind: 'one' }
  | { readonly kind: 'two' };
export const limit = 5;
export const twice = (value: number): number
export async function load(path: string, options: Options, ): Promise<string>
export class Store extends Base {
  readonly size: number;
  constructor(size: number)
  get(key: string): string | undefined
  static of(call: () => void): Store
}`,
  ],
  [
    'python',
    `LIMIT = 5
_hidden = 1

class Store(Base):
    name: str

    def __init__(self, name: str) -> None:
        self.name = name

    def load(
        self,
        path: str,
    ) -> bytes:
        return b""

    def _private(self):
        pass

def main(args):
    x = 1
`,
    `LIMIT = 5
class Store(Base):
    name: str
    def __init__(self, name: str) -> None
    def load(self, path: str, ) -> bytes
def main(args)`,
  ],
  [
    'go',
    `package a

type Store struct {
	Name string
	size int
}

func (s *Store) Load(path string) error {
	return nil
}

func helper() {}
`,
    `type Store struct {
	Name string
}
func (s *Store) Load(path string) error`,
  ],
  [
    'rust',
    `use a::b;

#[derive(Debug)]
pub struct Store {
    pub name: String,
}

impl Store {
    pub fn load(&self, path: &str) -> String {
        String::new()
    }

    fn other(&self) {}
}

fn helper() {}
pub fn open() -> Store {
`,
    `pub struct Store {
    pub name: String,
}
impl Store {
    pub fn load(&self, path: &str) -> String
    fn other(&self) {}
}
pub fn open() -> Store`,
  ],
  [
    'java',
    `package a;

public class Store {
    private int size;
    public final String name;

    public Store(String name) {
        this.name = name;
    }

    @Override
    public List<String> load(String path) throws IOException {
        return null;
    }
}
`,
    `public class Store {
    public final String name;
    public Store(String name)
    public List<String> load(String path) throws IOException
}`,
  ],
  [
    'cpp',
    `#include <vector>
#define LIMIT 5

class Store
{
public:
  explicit Store(int size);
  int load(const char *path);
private:
  int secret();
};

int main(int argc, char **argv) {
  return 0;
}
`,
    `#define LIMIT 5
class Store
  explicit Store(int size);
  int load(const char *path);
};
int main(int argc, char **argv)`,
  ],
  [
    'ruby',
    `class Store
  attr_reader :name

  def load(path)
    puts path
  end
end
`,
    `class Store
  attr_reader :name
  def load(path)`,
  ],
  [
    'csharp',
    'namespace A;\n\npublic record Point(int X, int Y);\n',
    'public record Point(int X, int Y);',
  ],
  ['cobol', 'export function a() {}', ''],
  ['typescript', '', ''],
];

test.each(outlines)('createOutline creates an outline of a %s file', (languageId, text, outline) =>
  expect(createOutline(languageId, text)).toBe(outline),
);

test('createOutline creates the same outline for Windows line ends', () => {
  expect(createOutline('typescript', typescriptSource.replaceAll('\n', '\r\n'))).toBe(
    createOutline('typescript', typescriptSource),
  );
});

test('createOutline limits the number of lines in an outline', () => {
  const text = Array.from({ length: 900 }, (_, index) => `export const a${index} = 1;`).join('\n');
  expect(createOutline('typescript', text).split('\n')).toHaveLength(outlineLimits.lines);
});

const languages = ['typescript', 'python', 'go', 'rust', 'java', 'cpp', 'ruby'];
const hostileTexts = [
  'x'.repeat(10_000_000),
  `export function a(${'('.repeat(10_000_000)}`,
  'export function a(\n'.repeat(500_000),
  `${'a '.repeat(99)}\n`.repeat(50_000),
  `${'public '.repeat(28)}\n`.repeat(50_000),
  `class A {\n${`  ${'a<'.repeat(95)}\n`.repeat(50_000)}`,
  '\0'.repeat(10_000_000),
  '\uD83D'.repeat(5_000_000),
  '\n'.repeat(10_000_000),
];

test.each(languages)(
  'createOutline limits the size of the outline of a huge %s text',
  (languageId) => {
    for (const text of hostileTexts) {
      const lines = createOutline(languageId, text).split('\n');
      expect(lines.length).toBeLessThanOrEqual(outlineLimits.lines);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(
        outlineLimits.lineLength,
      );
    }
  },
);
