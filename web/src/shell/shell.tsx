// What is around every page: the way to the others, the theme, who is let in, and what failed to load.

import { Component, type ReactNode, Suspense, useEffect, useRef } from "react";
import { Link, Router, useLocation } from "wouter";
import { useHashLocation } from "wouter/use-hash-location";
import { Button } from "../ui/button.tsx";
import { Empty, Loading } from "../ui/notes.tsx";
import { KeyGate } from "./key-gate.tsx";
import { PAGES } from "./pages.ts";
import { StatusLine } from "./status-line.tsx";
import { ThemeButton } from "./theme-button.tsx";
import "./shell.css";

export function Shell() {
  return (
    <Router hook={useHashLocation}>
      <Frame />
    </Router>
  );
}

function Frame() {
  const [location] = useLocation();
  const [, word = "", ...rest] = location.split("?")[0]!.split("/");
  const page = PAGES.find(({ path }) => path === (word || "ask"));
  const main = useRef<HTMLElement>(null);
  const title = page?.title ?? "Not found";
  useEffect(() => {
    document.title = `${title} · Tutti`;
  }, [title]);
  return (
    <div className="shell">
      <button type="button" className="skip button" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header className="bar">
        <Link href="/" className="brand">
          <img src="./icon.svg" alt="" />
          Tutti
        </Link>
        <nav className="nav" aria-label="Pages">
          {PAGES.map(({ path, title: name }) => (
            <Link key={path} href={`/${path}`} aria-current={page?.path === path ? "page" : undefined}>
              {name}
            </Link>
          ))}
        </nav>
        <ThemeButton />
      </header>
      <main className="main" ref={main} tabIndex={-1}>
        <Guard key={page?.path ?? word}>
          <Suspense fallback={<Loading />}>
            {page ? <page.Page rest={rest.map(decode).join("/")} /> : <NotFound word={word} />}
          </Suspense>
        </Guard>
      </main>
      <StatusLine />
      <KeyGate />
    </div>
  );
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function NotFound({ word }: { word: string }) {
  return (
    <Empty title={`There is no page "${word.slice(0, 40)}"`}>
      <p>
        <Link href="/">Ask something</Link>, or look at <Link href="/runs">what was asked</Link>.
      </p>
    </Empty>
  );
}

/** A page that breaks must not take the others with it. */
class Guard extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <Empty title="This page broke">
        <p>{error.message}</p>
        <Button onClick={() => location.reload()}>Load it again</Button>
      </Empty>
    );
  }
}
