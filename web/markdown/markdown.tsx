import type { MarkedToken, Token, Tokens } from 'marked';
import { createElement, Fragment, memo, type ReactNode, useMemo, useState } from 'react';
import { Code } from './code.tsx';
import { languageOf } from './highlight.ts';
import { decoded, GrowingMarkdown, safeAddress, tokensOf } from './markdown-text.ts';

interface MarkdownProps {
  readonly text: string;
  readonly live?: boolean;
}

/**
 * Renders Markdown. HTML is shown as plain text; images become links, because the page requests
 * nothing from other hosts. `live`: more text may follow.
 */
export const Markdown = memo(function Markdown({ text, live = false }: MarkdownProps) {
  const [growing] = useState(() => new GrowingMarkdown());
  const tokens = useMemo(
    () => (live ? growing.tokensOf(text) : tokensOf(text)),
    [text, live, growing],
  );
  if (tokens === null) return <p className="min-w-0 break-words whitespace-pre-wrap">{text}</p>;
  return (
    <div className="min-w-0">
      {tokens.map((token, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a growing text changes at its end only
        <Part key={at} token={token} raw={token.raw} />
      ))}
    </div>
  );
});

/** Finished parts of a growing text are not rendered again. */
const Part = memo(
  ({ token }: { token: Token; raw: string }) => <>{nodeOf(token, 0, 0)}</>,
  (before, after) => before.raw === after.raw && before.token.type === after.token.type,
);

/** Anything nested deeper than this is shown as plain text. */
const DEEPEST = 40;

const nodesOf = (tokens: readonly Token[] | undefined, depth: number): ReactNode =>
  tokens?.map((token, at) => nodeOf(token, at, depth));

function nodeOf(given: Token, key: number, depth: number): ReactNode {
  if (depth > DEEPEST) return given.raw;
  const token = given as MarkedToken;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return (
        <p key={key} className="my-2 first:mt-0 last:mb-0">
          {nodesOf(token.tokens, depth + 1)}
        </p>
      );
    case 'heading':
      return (
        <Heading key={key} depth={token.depth}>
          {nodesOf(token.tokens, depth + 1)}
        </Heading>
      );
    case 'code':
      return <CodeBlock key={key} code={token.text} lang={token.lang ?? ''} />;
    case 'blockquote':
      return (
        <blockquote key={key} className="my-2 border-l-2 border-line pl-3 text-soft">
          {nodesOf(token.tokens, depth + 1)}
        </blockquote>
      );
    case 'list':
      return <List key={key} token={token} depth={depth} />;
    case 'hr':
      return <hr key={key} className="my-3 border-edge" />;
    case 'table':
      return <Table key={key} token={token} depth={depth} />;
    case 'strong':
      return <strong key={key}>{nodesOf(token.tokens, depth + 1)}</strong>;
    case 'em':
      return <em key={key}>{nodesOf(token.tokens, depth + 1)}</em>;
    case 'del':
      return <del key={key}>{nodesOf(token.tokens, depth + 1)}</del>;
    case 'codespan':
      return (
        <code key={key} className="rounded bg-raised px-1 py-0.5 font-mono text-[0.92em]">
          {token.text}
        </code>
      );
    case 'br':
      return <br key={key} />;
    case 'link':
      return (
        <Address key={key} href={token.href}>
          {nodesOf(token.tokens, depth + 1)}
        </Address>
      );
    case 'image':
      return (
        <Address key={key} href={token.href}>
          {token.text === '' ? token.href : decoded(token.text)}
        </Address>
      );
    case 'text':
      return (
        <Fragment key={key}>
          {token.tokens === undefined ? decoded(token.text) : nodesOf(token.tokens, depth + 1)}
        </Fragment>
      );
    case 'escape':
      return token.text;
    case 'checkbox':
      return null;
    default:
      return token.raw;
  }
}

function Heading({ depth, children }: { depth: number; children: ReactNode }) {
  const style = depth <= 2 ? 'text-lg mt-4' : 'text-base mt-3';
  // The page title is the `h1`.
  const level = `h${Math.min(6, depth + 1)}`;
  return createElement(level, { className: `${style} mb-1.5 font-semibold first:mt-0` }, children);
}

function CodeBlock({ code, lang }: { code: string; lang: string }) {
  const name = /^\S*/.exec(lang)?.[0] ?? '';
  return <Code code={code} language={languageOf(name)} />;
}

function Address({ href, children }: { href: string; children: ReactNode }) {
  const address = safeAddress(href);
  if (address === null) return <span title={href}>{children}</span>;
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      className="text-info underline underline-offset-3"
    >
      {children}
    </a>
  );
}

function List({ token, depth }: { token: Tokens.List; depth: number }) {
  const items = token.items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items of a text do not move
    <li key={at} className={item.task ? 'list-none' : undefined}>
      {item.task && (
        <input
          type="checkbox"
          checked={item.checked === true}
          readOnly
          disabled
          className="mr-1.5 -ml-5 align-middle"
        />
      )}
      {nodesOf(item.tokens, depth + 1)}
    </li>
  ));
  const style = 'my-2 space-y-1 pl-6 first:mt-0 last:mb-0';
  return token.ordered ? (
    <ol start={token.start === '' ? 1 : token.start} className={`list-decimal ${style}`}>
      {items}
    </ol>
  ) : (
    <ul className={`list-disc ${style}`}>{items}</ul>
  );
}

const ALIGN = { left: 'text-left', right: 'text-right', center: 'text-center' } as const;

function Table({ token, depth }: { token: Tokens.Table; depth: number }) {
  const cell = (of: Tokens.TableCell): string =>
    `border border-edge px-2 py-1 ${ALIGN[of.align ?? 'left']}`;
  return (
    <div className="my-2 overflow-x-auto">
      <table className="border-collapse text-dense wrap-break-word">
        <thead>
          <tr>
            {token.header.map((each, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells do not move
              <th key={at} className={`${cell(each)} bg-raised font-semibold`}>
                {nodesOf(each.tokens, depth + 1)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, y) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows do not move
            <tr key={y}>
              {row.map((each, x) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells do not move
                <td key={x} className={cell(each)}>
                  {nodesOf(each.tokens, depth + 1)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
