// A text of JavaScript in which a check gets the operands of operators, and what a property is read of, before the operator or
// the property does: `a + b` becomes `check(0, (a)) + check(1, (b))`.

import type { AnyNode, Node } from 'acorn';

/** The place of a check in the text, and its purpose. */
export type Site =
  | {
      readonly kind: 'operand';
      readonly operator: string;
      /** What says the same in ReQL. */
      readonly instead: string;
      readonly offset: number;
    }
  | { readonly kind: 'property'; readonly name: string; readonly offset: number };

/** What says in ReQL what operators of two operands say in JavaScript. */
const BINARY: Readonly<Record<string, string>> = {
  '+': '.add(...)',
  '-': '.sub(...)',
  '*': '.mul(...)',
  '/': '.div(...)',
  '%': '.mod(...)',
  '**': '.mul(...)',
  '<': '.lt(...)',
  '<=': '.le(...)',
  '>': '.gt(...)',
  '>=': '.ge(...)',
  '==': '.eq(...)',
  '===': '.eq(...)',
  '!=': '.ne(...)',
  '!==': '.ne(...)',
  '&&': '.and(...)',
  '||': '.or(...)',
  '??': '.default(...)',
  '&': '.bitAnd(...)',
  '|': '.bitOr(...)',
  '^': '.bitXor(...)',
  '<<': '.bitSal(...)',
  '>>': '.bitSar(...)',
  '>>>': '.bitSar(...)',
  in: '.hasFields(...)',
  instanceof: '.typeOf()',
};

const UNARY: Readonly<Record<string, string>> = {
  '!': '.not()',
  '-': '.mul(-1)',
  '+': ".coerceTo('number')",
  '~': '.bitNot()',
};

const BRANCH = 'r.branch(...)';

/** Pieces of a text, rewritten; `sites` says what each check is for. */
export class Instrumented {
  readonly sites: Site[] = [];
  readonly #text: string;
  readonly #check: string;

  /** @param check the name of the check, a function of the number of a site and a value, that returns the value */
  constructor(text: string, check: string) {
    this.#text = text;
    this.#check = check;
  }

  /** The text of a node. */
  of(node: Node): string {
    const checks = new Map(checksOf(node as AnyNode, this.#text));
    let text = '';
    let from = node.start;
    for (const child of childrenOf(node)) {
      text += this.#text.slice(from, child.start);
      const site = checks.get(child);
      text += site === undefined ? this.of(child) : this.#checked(site, child);
      from = child.end;
    }
    return text + this.#text.slice(from, node.end);
  }

  #checked(site: Site, node: Node): string {
    const number = this.sites.push(site) - 1;
    return `${this.#check}(${number}, (${this.of(node)}))`;
  }
}

type Check = readonly (readonly [child: Node, site: Site])[];

/** The children of a node that are checked. */
function checksOf(node: AnyNode, text: string): Check {
  const checks = checked[node.type] as ((node: AnyNode, text: string) => Check) | undefined;
  return checks?.(node, text) ?? [];
}

function operand(child: Node, operator: string, instead: string | undefined, offset: number): Check {
  return instead === undefined ? [] : [[child, { kind: 'operand', operator, instead, offset }]];
}

/** The nodes that do something with their children that a ReQL term cannot tell of, by what they are. */
const checked: {
  readonly [Type in AnyNode['type']]?: (node: Extract<AnyNode, { type: Type }>, text: string) => Check;
} = {
  BinaryExpression(node, text) {
    const offset = text.indexOf(node.operator, node.left.end);
    return [node.left, node.right].flatMap((child) => operand(child, node.operator, BINARY[node.operator], offset));
  },
  LogicalExpression: ({ left, operator }, text) =>
    operand(left, operator, BINARY[operator], text.indexOf(operator, left.end)),
  AssignmentExpression: ({ right, operator }) => operand(right, operator, BINARY[operator.slice(0, -1)], right.start),
  UnaryExpression: ({ argument, operator, start }) => operand(argument, operator, UNARY[operator], start),
  ConditionalExpression: ({ test }, text) => operand(test, '? :', BRANCH, text.indexOf('?', test.end)),
  IfStatement: ({ test, start }) => operand(test, 'if', BRANCH, start),
  TemplateLiteral: ({ expressions }) =>
    expressions.flatMap((child) => operand(child, `\${}`, BINARY['+'], child.start)),
  MemberExpression({ computed, property, object }) {
    if (computed || property.type !== 'Identifier' || object.type === 'Super') return [];
    return [[object, { kind: 'property', name: property.name, offset: property.start }]];
  },
};

/** The nodes directly below, in the order of the text. What stands there for two things at once, as `{n}`, is left as it is. */
function childrenOf(node: Node): readonly Node[] {
  if ('shorthand' in node && node.shorthand === true) return [];
  return Object.values(node)
    .flat()
    .filter(isNode)
    .sort((a, b) => a.start - b.start);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;
}
