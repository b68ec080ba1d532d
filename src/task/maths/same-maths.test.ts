// Pairs of answers that say the same, one a line: the expected one, what was said.
import { describe, expect, test } from "vitest";
import { toCases } from "../../testing/cases.ts";
import { sameMaths } from "./same-maths.ts";

const EQUAL = {
  "numbers and fractions": String.raw`
1/2 ~~ 0.5
1/2 ~~ \frac{1}{2}
\frac12 ~~ \dfrac{1}{2}
\frac{3}{4} ~~ 0.75
\frac{3}{4} ~~ 3/4
\frac{6}{8} ~~ \tfrac{3}{4}
-\frac{1}{2} ~~ \frac{-1}{2}
\frac{1}{-2} ~~ -0.5
\frac 1 3 ~~ 1/3
\frac1{3} ~~ \frac{1}3
42 ~~ 42.0
42 ~~ 42.
42 ~~ $42$
42 ~~ **42**
42 ~~ \(42\)
42 ~~ \[42\]
42 ~~ {42}
42 ~~ \boxed{42}
42 ~~ +42
007 ~~ 7
.5 ~~ 0.50
−5 ~~ -5
0 ~~ -0
1e3 ~~ 1000
1.5e3 ~~ 1500
1.5 \times 10^3 ~~ 1500
1.5\cdot10^{3} ~~ 1.5e3
2 x 10^8 ~~ 2 \times 10^{8}
6.02 × 10^23 ~~ 6.02e23
10^{-3} ~~ 0.001
1{,}000 ~~ 1000
1,000 ~~ 1000
1,234,567 ~~ 1234567
12,345.67 ~~ 12345.67
1\,000\,000 ~~ 1000000
10,\!000 ~~ 10000
3\frac{1}{2} ~~ 7/2
3 1/2 ~~ 3.5
3 \frac12 ~~ \frac{7}{2}
-2\frac{1}{4} ~~ -2.25
0.\overline{3} ~~ \frac{1}{3}
0.1\overline{6} ~~ 1/6
0.\overline{142857} ~~ 1/7
50\% ~~ 0.5
50\% ~~ 50%
12.5\% ~~ \frac{1}{8}
½ ~~ 0.5
5 million ~~ 5000000
2^{10} ~~ 1024
2**10 ~~ 1024
3² ~~ 9
5! ~~ 120
\binom{5}{2} ~~ 10
\frac{\frac{1}{2}}{3} ~~ 1/6
123456789012345678901234567890 ~~ 123456789012345678901234567890.0
2^{200} ~~ 4^{100}`,
  "roots, constants, functions": String.raw`
\sqrt{8} ~~ 2\sqrt{2}
\sqrt2 ~~ \sqrt{2}
√2 ~~ sqrt(2)
\frac{1}{\sqrt{2}} ~~ \frac{\sqrt{2}}{2}
\frac{2}{\sqrt{3}-1} ~~ \sqrt{3}+1
\sqrt{12}+\sqrt{27} ~~ 5\sqrt{3}
\sqrt{6} ~~ \sqrt{2}\sqrt{3}
\sqrt{\frac{1}{3}} ~~ \frac{\sqrt{3}}{3}
\sqrt[3]{8} ~~ 2
\sqrt[3]{16} ~~ 2\sqrt[3]{2}
8^{1/3} ~~ 2
2^{1/2} ~~ \sqrt{2}
\sqrt{3+2\sqrt{2}} ~~ 1+\sqrt{2}
\frac{1+\sqrt{5}}{2} ~~ 0.5(1+\sqrt5)
10^{20}+\sqrt{2} ~~ \sqrt{2}+100000000000000000000
\pi ~~ π
2\pi ~~ \pi\cdot 2
25\pi ~~ 25 pi
\frac{\pi}{4} ~~ 0.25\pi
\frac{4}{3}\pi r^3 ~~ \frac{4\pi r^3}{3}
e^2 ~~ e^{2}
\ln 8 ~~ 3\ln 2
\ln(x^2) ~~ 2\ln x
\log_2 8 ~~ 3
\log_{10} 100 ~~ 2
\sin^2 x + \cos^2 x ~~ 1
\sin 30^\circ ~~ \frac{1}{2}
\sin(2x) ~~ 2\sin x\cos x
\tan^{-1}(1) ~~ \frac{\pi}{4}
\arctan 1 ~~ \pi/4
e^{i\pi} ~~ -1
3+4i ~~ 4i+3
(1+i)^2 ~~ 2i
\frac{1}{i} ~~ -i
\sqrt{-4} ~~ 2i
|-5| ~~ 5
\left|x-1\right| ~~ |1-x|
\lfloor 2.5 \rfloor ~~ 2
\infty ~~ ∞
+\infty ~~ \infty
-\infty ~~ -infinity`,
  polynomials: String.raw`
x^2+2x+1 ~~ (x+1)^2
x^2 - y^2 ~~ (x-y)(x+y)
2x+1 ~~ 1+2x
2(x+1) ~~ 2x+2
xy ~~ yx
3x^2y ~~ 3yx^2
\frac{x}{2} ~~ 0.5x
\frac{x^2-1}{x-1} ~~ x+1
\frac{1}{x}+\frac{1}{y} ~~ \frac{x+y}{xy}
x^{-1} ~~ \frac{1}{x}
(a+b)^3 ~~ a^3+3a^2b+3ab^2+b^3
\sqrt{x^2y} ~~ |x|\sqrt{y}
\sqrt{x}\sqrt{y} ~~ \sqrt{xy}
n(n+1)/2 ~~ \frac{n^2+n}{2}
2^{n+1} ~~ 2\cdot 2^n
a_1 + a_2 ~~ a_{2}+a_{1}
-(x-3) ~~ 3-x
\left(x+\frac12\right)^2 ~~ x^2+x+\frac14
x \cdot x ~~ x^2
\theta + 1 ~~ 1+\theta
(x+y+z)^2 ~~ x^2+y^2+z^2+2xy+2yz+2zx`,
  "equations and names": String.raw`
5 ~~ x = 5
x=5 ~~ 5
x = 5 ~~ 5 = x
2x+1 ~~ y = 2x+1
y=2x+1 ~~ 2x+1
y = 2x+1 ~~ 2x - y + 1 = 0
x+y=2 ~~ 2x+2y=4
x^2 ~~ f(x)=x^2
f(x)=x^2 ~~ f(x) = x\cdot x
12 ~~ AB = 12
12 ~~ \overline{AB} = 12
1/2 ~~ P(A) = 0.5
40 ~~ \angle ABC = 40
15 ~~ 12 + 3 = 15
5/2 ~~ x = \frac{10}{4} = \frac{5}{2}
25 ~~ Area = 25
25 ~~ \text{Area} = 25
\frac{1}{3} ~~ \frac{1}{3} \approx 0.333
0.333 ~~ \frac{1}{3} \approx 0.333
x = \frac{5}{2} ~~ 2.5
n=7 ~~ n = 7.0`,
  "intervals, points, regions": String.raw`
(1,2) ~~ (1, 2)
\left(1,2\right) ~~ (1,2)
(1,2) ~~ (\frac{2}{2}, \sqrt{4})
[1,2) ~~ \left[1, 2\right)
(-\infty, 3] ~~ (-∞,3]
(-\infty,1)\cup(2,\infty) ~~ (2, \infty) ∪ (-\infty, 1)
(-\infty,1)\cup(2,\infty) ~~ (-inf,1) U (2,inf)
(3,\infty) ~~ x > 3
[3,\infty) ~~ x \ge 3
[3,\infty) ~~ 3 \leq x
(1,2] ~~ 1 < x \le 2
(-\infty,1)\cup(2,\infty) ~~ x<1 or x>2
x \in [1,2] ~~ [1,2]
x > 3 ~~ 3 < x
x>3 ~~ (3,\infty)
1<x<2 ~~ 2>x>1
\mathbb{R} ~~ (-\infty,\infty)
\mathbb{R} ~~ all real numbers
(5,3) ~~ x=5, y=3
(5,3) ~~ y=3, x=5
(5,3) ~~ (x,y)=(5,3)
(1,2,3) ~~ \langle 1,2,3\rangle
\left(\frac{1}{2}, -3\right) ~~ (0.5, -3)`,
  "sets and lists": String.raw`
\{1,2\} ~~ \{2,1\}
\{1,2,3\} ~~ {3, 2, 1}
\{5,7\} ~~ 5, 7
\{5,7\} ~~ 5 or 7
\{5,7\} ~~ 7 and 5
\{5,7\} ~~ 5 \text{ or } 7
5,7 ~~ x=5 or x=7
5,7 ~~ x = 5, 7
x=5, x=7 ~~ x=7, x=5
5 or 7 ~~ either 7 or 5
1,2,3 ~~ 3, 2, and 1
\pm 3 ~~ 3, -3
x = \pm 3 ~~ \{-3, 3\}
1\pm\sqrt{2} ~~ 1+\sqrt2, 1-\sqrt2
\frac{1\pm\sqrt{5}}{2} ~~ \frac{1-\sqrt5}{2}, \frac{1+\sqrt5}{2}
x=5, y=3 ~~ y = 3, x = 5
\{5\} ~~ 5
\emptyset ~~ \{\}
\varnothing ~~ ∅
\{(1,2),(3,4)\} ~~ (3,4), (1,2)
100, 200, 300 ~~ \{300,200,100\}
\{1,000, 2,000\} ~~ 2000, 1000`,
  matrices: String.raw`
\begin{pmatrix}1&2\\3&4\end{pmatrix} ~~ \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}
\begin{pmatrix}1&2\\3&4\end{pmatrix} ~~ [[1,2],[3,4]]
\begin{pmatrix} \frac12 \\ 0 \end{pmatrix} ~~ \begin{pmatrix} 0.5 \\ 0 \\ \end{pmatrix}
\left(\begin{array}{cc}1&2\\3&4\end{array}\right) ~~ \begin{pmatrix}1&2\\3&4\end{pmatrix}`,
  "units, text, bases, times": String.raw`
5 ~~ 5\text{ cm}
5\text{ cm} ~~ 5 cm
5 \text{ cm}^2 ~~ 5 square centimeters
5\,\text{cm} ~~ 5\mathrm{cm}
10 \text{ m/s} ~~ 10 meters per second
12 ~~ 12 ways
12 ~~ 12 apples
5 ~~ 5 m
18 ~~ $18
18 ~~ \$18
\$18.90 ~~ $18.90
\$1,000 ~~ 1000 dollars
45 ~~ 45^\circ
45^\circ ~~ 45°
45^{\circ} ~~ 45 degrees
\frac{\pi}{4} ~~ 45^\circ
\text{yes} ~~ Yes
\text{yes} ~~ \textbf{Yes}.
\text{(C)} ~~ C
(C) ~~ \text{C}
\text{Evelyn} ~~ Evelyn
\text{no solution} ~~ No solution
1011_2 ~~ 1011_{2}
1011_2 ~~ 1011_{\text{two}}
1A_{16} ~~ 1a_{16}
1011 ~~ 1011_2
3:30 ~~ 03:30
3:30 ~~ 3:30 p.m.
3:30 \text{ p.m.} ~~ 3:30 PM
2:1 ~~ 2 : 1`,
  "as in competitions": String.raw`
-221_3 ~~ -221_{3}
\frac{3\sqrt{3}}{4} ~~ \dfrac{3 \sqrt 3}{4}
\left( 3, \frac{\pi}{2} \right) ~~ (3, π/2)
\frac{14}{3} ~~ 4\frac{2}{3}
x^3+3x-6 ~~ -6 + 3x + x^3
\frac{270}7\text{ degrees} ~~ \frac{270}{7}^\circ
.0000672 ~~ 6.72\times10^{-5}
5.4 \text{ cents} ~~ 5.4 cents
58,500 ~~ 58500
(-\infty, 2) \cup (3, \infty) ~~ (-\infty,2)\cup(3,+\infty)
1 \pm \sqrt{19} ~~ 1 - \sqrt{19}, 1 + \sqrt{19}
\frac{243}{625} ~~ 0.3888
2k+2 ~~ 2(k+1)
y = -\frac{1}{2}x + 3 ~~ x + 2y = 6
4 \sqrt{13} ~~ \sqrt{208}
\text{June 20} ~~ June 20
\tan x ~~ \frac{\sin x}{\cos x}
p - q ~~ p-q
\{1\pm\sqrt{5},-2\} ~~ \{-2, 1+\sqrt5, 1-\sqrt5\}
\begin{pmatrix} -1/3 \\ 2/3 \\ 5/3 \end{pmatrix} ~~ \begin{pmatrix} -\frac13 \\ \frac23 \\ \frac53 \end{pmatrix}
x \in [-2,7] ~~ -2 \le x \le 7
1.25 \text{ feet} ~~ 1.25 ft
36 \text{ square units} ~~ 36 units^2
3^{1/4} ~~ \sqrt[4]{3}
e^{x+1} ~~ e\cdot e^x
\frac{n!}{(n-1)!} ~~ \frac{n!}{(n-1)!}
\$32,\!348 ~~ 32348 dollars
(x-2)^2 + (y+3)^2 = 16 ~~ (y+3)^2+(x-2)^2=16
6\text{ and }8 ~~ 6, 8
f^{-1}(x) = \frac{x-1}{2} ~~ \frac{x-1}{2}
a=1, b=2, c=3 ~~ (a,b,c) = (1,2,3)`,
};

describe.each(Object.entries(EQUAL))("%s", (_, lines) => {
  test.each(toCases(lines, " ~~ "))("%s and %s", (expected, said) => {
    expect(sameMaths(expected, said)).toBeDefined();
  });
});
