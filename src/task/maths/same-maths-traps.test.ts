// Pairs of answers that only look the same, one a line: the expected one, what was said.
import { describe, expect, test } from "vitest";
import { toCases } from "../../testing/cases.ts";
import { sameMaths } from "./same-maths.ts";

const DIFFERENT = {
  "numbers and fractions": String.raw`
1/3 ~~ 0.33
\frac{1}{3} ~~ 0.3333333333
\frac{2}{3} ~~ 0.667
10 ~~ 10\%
10\% ~~ 10
50\% ~~ 50
1e3 ~~ 13
1e3 ~~ 1e-3
1000 ~~ 100
12 ~~ 15
12 ~~ 1.2
12 ~~ 12!
12 ~~ -12
5 ~~ -5
3.14 ~~ 3.141
1,234 ~~ 1.234
1,234 ~~ 1234.5
3\frac{1}{2} ~~ \frac{3}{2}
3 1/2 ~~ 31/2
2\frac12 ~~ 1
2^3 ~~ 23
2^3 ~~ 6
10^{-3} ~~ 10^3
\frac{1}{2} ~~ 12
\frac12 ~~ \frac21
123456789012345678901234567890 ~~ 123456789012345678901234567891
9007199254740993 ~~ 9007199254740992
2^{200} ~~ 2^{200}+1
0.\overline{3} ~~ 0.3
0.9 ~~ 0.\overline{9}
5 million ~~ 5
5 ~~ 5 million
5 ~~ 5 dozen
3 4 ~~ 12
0 ~~ 
5 ~~ 5...
0.333 ~~ 5 \approx 0.333`,
  "roots, constants, functions": String.raw`
\sqrt{2} ~~ 1.41421
\sqrt{2} ~~ 2
\sqrt{8} ~~ 4
\sqrt{2}+\sqrt{3} ~~ \sqrt{5}
\sqrt[3]{8} ~~ 2\sqrt{2}
\sqrt[3]{2} ~~ 3\sqrt{2}
10^{20}+\sqrt{2} ~~ 10^{20}+\sqrt{3}
\pi ~~ 3.14
\pi ~~ 3.14159
\pi ~~ \frac{22}{7}
2\pi ~~ \pi^2
2\pi ~~ 2
\pi\cdot 10^{-20} ~~ 2\pi\cdot 10^{-20}
e ~~ 2.718
e^2 ~~ 2e
\ln 8 ~~ \ln 2
\ln 6 ~~ \ln 2\cdot\ln 3
\log_2 8 ~~ \log_3 8
\log 100 ~~ \ln 100
\sin x ~~ \cos x
\sin(2x) ~~ 2\sin x
\sin^{-1}(x) ~~ \frac{1}{\sin x}
3+4i ~~ 3-4i
3+4i ~~ 4+3i
i ~~ 1
|x| ~~ x
\sqrt{x^2} ~~ x
\infty ~~ -\infty
\infty ~~ 1000000`,
  polynomials: String.raw`
2x ~~ x^2
2x ~~ 2
2x ~~ 2y
x^2+1 ~~ (x+1)^2
x^2-1 ~~ (x-1)^2
x^2+y^2 ~~ (x+y)^2
x+1 ~~ x-1
x+y ~~ xy
\frac{x}{2} ~~ \frac{2}{x}
\frac{1}{x+y} ~~ \frac{1}{x}+\frac{1}{y}
2^{n+1} ~~ 2^n+1
x^{10} ~~ x^1 0
a_1 ~~ a_2
3x ~~ 3
\sqrt{x+y} ~~ \sqrt{x}+\sqrt{y}
n(n+1)/2 ~~ n(n-1)/2
ab ~~ a+b
x^{100} ~~ x^{101}
(x-1)(x-2)(x-3)(x-4) ~~ 0`,
  "equations and names": String.raw`
x=5 ~~ y=5
5 ~~ x=6
5 ~~ 2x=5
10 ~~ 2x=10
25 ~~ x^2=25
x=5 ~~ x^2=25
y=2x+1 ~~ y=2x-1
y=2x+1 ~~ x=2y+1
x+y=2 ~~ x+y=3
x+y=2 ~~ x-y=2
12 ~~ 12+3=15
15 ~~ 12+4=15
5 ~~ x>5
x=5 ~~ x>5
x=5 ~~ x\neq 5
5 ~~ x \ne 5
x = 5 ~~ x = 5, y = 3`,
  "intervals, points, regions": String.raw`
(1,2) ~~ [1,2]
(1,2) ~~ \{1,2\}
[1,2] ~~ \{1,2\}
(1,2) ~~ (2,1)
(1,2) ~~ (1,2]
[1,2) ~~ (1,2]
(1,2) ~~ 1,2
(1,2) ~~ 1.2
(1,2) ~~ (1,2,3)
(-\infty,3) ~~ (-\infty,3]
(-\infty,3) ~~ (3,\infty)
(3,\infty) ~~ x \ge 3
(3,\infty) ~~ x < 3
(1,2] ~~ 1 \le x < 2
(-\infty,1)\cup(2,\infty) ~~ (-\infty,1)
(-\infty,1)\cup(2,\infty) ~~ (-\infty,1]\cup[2,\infty)
(-\infty,1)\cup(2,\infty) ~~ (1,2)
x>3 ~~ y>3
x>3 ~~ x>=3
x<1 or x>2 ~~ x<1 and x>2
(5,3) ~~ x=3, y=5
(5,3) ~~ x=5
(1,2) ~~ 12
(1,2) ~~ (1,3)
\mathbb{R} ~~ (0,\infty)`,
  "sets and lists": String.raw`
\{1,2\} ~~ \{1,2,3\}
\{1,2,3\} ~~ \{1,2\}
\{1,2\} ~~ \{1,3\}
\{1,2\} ~~ \{1,1,2\}
\{1,1,2\} ~~ \{1,2,2\}
\{5,7\} ~~ 5
5 ~~ 5 or 7
5 ~~ 5, 7
12 ~~ 12 and 15
15 ~~ 12 or 15
12 ~~ 12 or maybe 15
12 ~~ not 12
\pm 3 ~~ 3
3 ~~ \pm 3
1\pm\sqrt{2} ~~ 1+\sqrt{2}
1\pm\sqrt{2} ~~ 2\pm\sqrt{1}
\emptyset ~~ \{0\}
\emptyset ~~ 0
\{(1,2),(3,4)\} ~~ \{(2,1),(3,4)\}
\{12\} ~~ \{1,2\}
100,200 ~~ 100`,
  matrices: String.raw`
\begin{pmatrix}1&2\\3&4\end{pmatrix} ~~ \begin{pmatrix}1&3\\2&4\end{pmatrix}
\begin{pmatrix}1&2\\3&4\end{pmatrix} ~~ \begin{vmatrix}1&2\\3&4\end{vmatrix}
\begin{pmatrix}1\\2\end{pmatrix} ~~ \begin{pmatrix}1&2\end{pmatrix}
\begin{pmatrix}1&2\\3&4\end{pmatrix} ~~ \{1,2,3,4\}
[[1,2],[3,4]] ~~ [[1,2],[3,5]]
[[1,2],[3,4]] ~~ [1,2,3,4]`,
  "units, text, bases, times": String.raw`
5\text{ cm} ~~ 5\text{ m}
5\text{ cm} ~~ 5
5\text{ cm} ~~ 5\text{ cm}^2
5\text{ cm} ~~ 6\text{ cm}
12 \text{ ways} ~~ 12 apples
10 \text{ m/s} ~~ 10 m
\$18 ~~ 18 cents
18 ~~ $1.8
45^\circ ~~ 45
45^\circ ~~ 54^\circ
\text{yes} ~~ no
\text{yes} ~~ yes and no
\text{no} ~~ \text{on}
\text{Evelyn} ~~ Evelyn or Briana
\text{even} ~~ odd
\text{(C)} ~~ (D)
(C) ~~ B, C
1011_2 ~~ 1011_3
1011_2 ~~ 11
1011_2 ~~ 1011
3:30 ~~ 3:31
3:30 \text{ p.m.} ~~ 3:30 \text{ a.m.}
3:30 ~~ 330
2:1 ~~ 1:2
5 ~~ 5x
5 ~~ 5 x
5x ~~ 5
constructor ~~ toString`,
  "as in competitions": String.raw`
-221_3 ~~ 221_3
6 - 5i ~~ 6+5i
5.4 \text{ cents} ~~ 5.4 dollars
10\% ~~ 1/10\%
y = -\frac{1}{2}x + 3 ~~ x + 2y = 5
[-2,7] ~~ -2 < x < 7
(0,9) \cup (9,36) ~~ (0,36)
3^{1/4} ~~ \sqrt[3]{4}
\frac{5}{2} ~~ y = 2x+2.5
2:3 ~~ 2/3
12 ~~ 12, 12
\text{June 20} ~~ June 21
100 ~~ 1,00
3.5 ~~ 3,5
2^{31} ~~ 2147483647
1.0001 ~~ 1
\sin x ~~ \sin^2 x
0.999999999999 ~~ 1
45 ~~ 45 or 135 degrees
f(x)=x ~~ g(x)=x
e^{x} ~~ x^e
5 ~~ five and 6
\frac{2}{4x} ~~ \frac{2}{4}x`,
};

describe.each(Object.entries(DIFFERENT))("%s", (_, lines) => {
  test.each(toCases(lines, " ~~ "))("%s and %s", (expected, said) => {
    expect(sameMaths(expected, said)).toBeUndefined();
  });
});
