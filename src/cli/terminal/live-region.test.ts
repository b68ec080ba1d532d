import { afterEach, expect, test, vi } from "vitest";
import { TestScreen } from "../../testing/screen.ts";
import { LiveRegion } from "./live-region.ts";

afterEach(() => vi.useRealTimers());

function open(columns = 40) {
  vi.useFakeTimers();
  const screen = new TestScreen(columns);
  let lines: string[] = [];
  const region = new LiveRegion(screen, () => lines);
  return {
    screen,
    region,
    set: (...next: string[]) => {
      lines = next;
    },
    seen: () => screen.lines.filter((line) => line !== ""),
  };
}

test("lines are drawn again in their place, and what is printed stays above", () => {
  const { region, set, seen } = open();
  set("moving 1");
  region.start();
  region.draw();
  region.print(["done a"]);
  set("moving 2", "and more");
  vi.advanceTimersByTime(100);
  expect(seen()).toEqual(["done a", "moving 2", "and more"]);
  set();
  vi.advanceTimersByTime(100);
  region.print(["done b"]);
  expect(seen()).toEqual(["done a", "done b"]);
});

test("nothing is written while nothing changes", () => {
  const { region, screen, set } = open();
  set("same");
  region.start();
  vi.advanceTimersByTime(80);
  const before = screen.raw.length;
  vi.advanceTimersByTime(2000);
  expect(screen.raw.length).toBe(before);
  region.stop();
});

test("the cursor is hidden while it lives and given back when it stops, and stopping twice is once", () => {
  const { region, screen, set } = open();
  set("x");
  region.start();
  region.start();
  expect(screen.raw.split("\u001b[?25l")).toHaveLength(2);
  const listeners = process.listenerCount("exit");
  region.stop();
  region.stop();
  expect(screen.raw.split("\u001b[?25h")).toHaveLength(2);
  expect(process.listenerCount("exit")).toBe(listeners - 1);
});

test("a region taller than the screen shows its end", () => {
  const { region, screen, set, seen } = open();
  screen.rows = 4;
  set("1", "2", "3", "4", "5", "6");
  region.start();
  region.draw();
  expect(seen()).toEqual(["4", "5", "6"]);
  region.stop();
  expect(seen()).toEqual([]);
});

test("lines that a narrower terminal has broken are taken away whole", () => {
  const { region, screen, set } = open(40);
  set("x".repeat(38));
  region.start();
  region.draw();
  screen.columns = 20;
  set("y");
  region.draw();
  expect(screen.raw).toContain("\r\u001b[2A\u001b[J");
  region.stop();
});

test("before it starts, drawing does nothing and printing prints", () => {
  const { region, set, seen } = open();
  set("moving");
  region.draw();
  region.print(["plain"]);
  expect(seen()).toEqual(["plain"]);
});
