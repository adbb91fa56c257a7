/** What lines of a language declare something that another file can use. */
export interface OutlineSyntax {
  readonly languages: readonly string[];
  /** Begins a declaration; looked for outside of containers. */
  readonly declares: RegExp;
  /** A declaration with members. */
  readonly contains: RegExp;
  /** One whose body is all members, as with the fields of a type: it is given whole. */
  readonly isType: RegExp;
  /** A line in another container that is the head of a member. */
  readonly member: RegExp;
  /** What other files cannot use, at any depth. */
  readonly hidden: RegExp;
  /** Where a head ends and its body begins. */
  readonly body: RegExp;
}

/** By the editor's id; `undefined` for a language of which nothing is known. */
export const outlineSyntaxOf = (languageId: string): OutlineSyntax | undefined =>
  syntaxes.find(({ languages }) => languages.includes(languageId));

const never = /^(?!)/u;
const brace = /\s*(?:=>\s*)?\{[^{}]*$/u;

const syntaxes: readonly OutlineSyntax[] = [
  {
    languages: ['typescript', 'javascript', 'typescriptreact', 'javascriptreact'],
    declares:
      /^\s*export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function|class|interface|type|enum|const|let|var)\b/u,
    contains: /\b(?:class|interface|enum|type)\s+[\w$]/u,
    isType: /\b(?:interface|enum|type)\s+[\w$]/u,
    member:
      /^\s*(?:(?:public|static|readonly|abstract|override|async|declare|get|set)\s+)*\*?(?!(?:if|for|while|switch|return|catch|super|throw|await)\b)[\w$]+\??\s*(?:[(<:=;]|$)/u,
    hidden: /^\s*(?:private|protected|#|_)/u,
    body: brace,
  },
  {
    languages: ['python'],
    declares: /^(?:async\s+def|def|class)\s+\w|^[A-Za-z]\w*\s*(?::[^=]+)?=(?!=)/u,
    contains: /^\s*class\s/u,
    isType: never,
    member: /^\s*(?:(?:async\s+)?def\s+\w|[A-Za-z]\w*\s*:)/u,
    hidden: /^\s*(?:(?:async\s+)?(?:def|class)\s+_(?!_init__\b)|_)/u,
    body: /:\s*(?:#.*)?$/u,
  },
  {
    languages: ['go'],
    declares: /^(?:func\s+(?:\([^)]*\)\s*)?[A-Z]|(?:type|var|const)\s+[A-Z])/u,
    contains: /^type\s+\w+(?:\[[^\]]*\])?\s+(?:struct|interface)\b/u,
    isType: /^type\s/u,
    member: /^\s*[A-Z]/u,
    hidden: /^\s+[a-z_]/u,
    body: brace,
  },
  {
    languages: ['rust'],
    declares:
      /^\s*(?:pub\s+(?:async\s+|unsafe\s+|const\s+|extern\s+"\w*"\s+)*(?:fn|struct|enum|trait|type|const|static|union)\b|impl\b)/u,
    contains: /^\s*(?:impl\b|pub\s+(?:unsafe\s+)?(?:trait|struct|enum|union)\b)/u,
    isType: /^\s*pub\s+(?:struct|enum|union)\b/u,
    member: /^\s*(?:pub\s|(?:async\s+|unsafe\s+|const\s+)*fn\s|type\s)/u,
    hidden: /^\s*pub\(self\)/u,
    body: brace,
  },
  {
    languages: ['java', 'csharp', 'kotlin', 'scala', 'swift', 'php', 'dart', 'groovy'],
    declares:
      /^\s*(?:(?:public|open|export|abstract|final|sealed|static|partial|data|internal|case)\s+)*(?:class|interface|enum|record|struct|trait|object|protocol|extension|fun|func|function|def|typealias)\s+\w/u,
    contains: /\b(?:class|interface|enum|record|struct|trait|object|protocol|extension)\s+\w/u,
    isType: /\b(?:interface|enum|protocol)\s+\w/u,
    member:
      /^\s*(?:(?:public|open|abstract|final|static|override|virtual|async|const|readonly|mutating|suspend|synchronized)\s+)*(?!(?:if|for|foreach|while|switch|return|catch|throw|else|try|new|await|yield|using)\b)(?:(?:fun|func|function|def|val|var|let|get|set)\s+)?[\w<>[\],.?\s]*\w\s*(?:\(|;|=|:|\{)/u,
    hidden: /^\s*(?:private|protected|fileprivate|internal|@)/u,
    body: brace,
  },
  {
    languages: ['c', 'cpp', 'objective-c', 'objective-cpp', 'cuda-cpp'],
    declares:
      /^(?:#\s*define\s+\w|(?:template\s*<|typedef|struct|class|enum|union|extern|using)\b|[A-Za-z_][\w:<>,&*\s]*[\s*&]\w+\s*\()/u,
    contains: /^(?:typedef\s+)?(?:struct|class|enum|union)\b[^;]*$/u,
    isType: /^(?:typedef\s+)?(?:struct|enum|union)\b/u,
    member: /^\s*(?:[\w:~<>,&*\s]+\(|using\s)/u,
    hidden: /^\s*(?:static\s|return\b)/u,
    body: brace,
  },
  {
    languages: ['ruby'],
    declares: /^\s*(?:class|module|def)\s+\w/u,
    contains: /^\s*(?:class|module)\s/u,
    isType: never,
    member: /^\s*(?:def\s+\w|attr_\w+\s|scope\s)/u,
    hidden: /^\s*def\s+_/u,
    body: /^(?!)/u,
  },
];
