import { test } from "vitest";
import { sameMaths } from "./maths/same-maths.ts";
const S = String.raw`
= -221_3 ~~ -221_{3}
= \frac{3\sqrt{3}}{4} ~~ \dfrac{3 \sqrt 3}{4}
= 6 - 5i ~~ 6-5i
= \left( 3, \frac{\pi}{2} \right) ~~ (3, π/2)
= \frac{14}{3} ~~ 4\frac{2}{3}
= x^3+3x-6 ~~ -6 + 3x + x^3
= \frac{270}7\text{ degrees} ~~ \frac{270}{7}^\circ
= .0000672 ~~ 6.72\times10^{-5}
= 5.4 \text{ cents} ~~ 5.4 cents
= \text{east} ~~ East
= 58,500 ~~ 58500
= 11\sqrt2 ~~ 11\sqrt{2}
= 3, 5, 7 ~~ 7,5,3
= (-\infty, 2) \cup (3, \infty) ~~ (-\infty,2)\cup(3,+\infty)
= \dfrac{9}{256} ~~ 9/256
= -2,1 ~~ -2, 1
= 1 \pm \sqrt{19} ~~ 1 - \sqrt{19}, 1 + \sqrt{19}
= \frac{243}{625} ~~ 0.3888
= 10\% ~~ 0.10
= 2k+2 ~~ 2(k+1)
= y = -\frac{1}{2}x + 3 ~~ x + 2y = 6
= 4 \sqrt{13} ~~ \sqrt{208}
= \text{June 20} ~~ June 20
= \tan x ~~ \frac{\sin x}{\cos x}
= \cot x ~~ \frac{1}{\tan x}
= p - q ~~ p-q
= 7x^3 ~~ 7 x^{3}
= 120^{\circ} ~~ 120^\circ
= (0,9) \cup (9,36) ~~ (9,36)\cup(0,9)
= \sqrt{53} ~~ \sqrt {53}
= \frac{1}{2}, -\frac{1}{2} ~~ \pm\frac{1}{2}
= \{1\pm\sqrt{5},-2\} ~~ \{-2, 1+\sqrt5, 1-\sqrt5\}
= 2516_8 ~~ 2516_{8}
= \begin{pmatrix} -1/3 \\ 2/3 \\ 5/3 \end{pmatrix} ~~ \begin{pmatrix} -\frac13 \\ \frac23 \\ \frac53 \end{pmatrix}
= [-2,7] ~~ -2 \le x \le 7
= x \in [-2,7] ~~ -2 \le x \le 7
= \frac{5}{2} ~~ x = 2.5
= 90^\circ ~~ 90\text{ degrees}
= 1.25 \text{ feet} ~~ 1.25 ft
= 20\,\text{ m} ~~ 20 meters
= 36 \text{ square units} ~~ 36 units^2
= \log_{10} 2 ~~ \log 2
= 3^{1/4} ~~ \sqrt[4]{3}
= e^{x+1} ~~ e\cdot e^x
= \cos^2 x ~~ 1-\sin^2 x
= \frac{n!}{(n-1)!} ~~ \frac{n!}{(n-1)!}
= \$32,\!348 ~~ 32348 dollars
= (x-2)^2 + (y+3)^2 = 16 ~~ (y+3)^2+(x-2)^2=16
= 2:3 ~~ 2:3
= 6\text{ and }8 ~~ 6, 8
= (6,31,-1) ~~ (6, 31, -1)
= 4x^2 - 12 x + 9 ~~ (2x-3)^2
= \frac{x+2}{7} ~~ (x+2)/7
= 1:30 \text{ p.m.} ~~ 1:30 pm
= 2\cdot 3^5 ~~ 486
= -\frac{\pi}{6} ~~ \frac{-\pi}{6}
= 0.125 ~~ 12.5\%
= f^{-1}(x) = \frac{x-1}{2} ~~ \frac{x-1}{2}
= x=2,\ y=3 ~~ (2,3)
= k = 3 ~~ k=3
= a=1, b=2, c=3 ~~ (a,b,c) = (1,2,3)
= 2 \text{ and } 3 ~~ x=2 \text{ or } x=3
= 0 < x < 1 ~~ (0,1)
! -221_3 ~~ 221_3
! 6 - 5i ~~ 6+5i
! \left( 3, \frac{\pi}{2} \right) ~~ (3, \frac{\pi}{3})
! -2,1 ~~ -2
! 5.4 \text{ cents} ~~ 5.4 dollars
! 10\% ~~ 1/10\%
! y = -\frac{1}{2}x + 3 ~~ x + 2y = 5
! [-2,7] ~~ -2 < x < 7
! (0,9) \cup (9,36) ~~ (0,36)
! \tan x ~~ \tan y
! 120^\circ ~~ 60^\circ
! 3^{1/4} ~~ \sqrt[3]{4}
! \frac{5}{2} ~~ y = 2x+2.5
! 2:3 ~~ 2/3
! 1,2,3 ~~ 1, 2
! 12 ~~ 12, 12
! \text{June 20} ~~ June 21
! 100 ~~ 1,00
! 3.5 ~~ 3,5
! 2^{31} ~~ 2147483647
! 1.0001 ~~ 1
! \sqrt{2} ~~ \sqrt{-2}
! x ~~ -x
! \sin x ~~ \sin^2 x
! \frac{1}{x} ~~ x
! 5 \text{ or } 7 ~~ 5 or 8
! n=7 ~~ m=7
! 0.999999999999 ~~ 1
! 10^{10} ~~ 10^{10}+1
! 45 ~~ 45 or 135 degrees
! f(x)=x ~~ g(x)=x
! e^{x} ~~ x^e
! \log_2 x ~~ \log_x 2
! 7 ~~ 07.5
! 5 ~~ five and 6
! \emptyset ~~ \text{no}
! \frac{2}{4x} ~~ \frac{2}{4}x`;
test("n", () => {
  for (const line of S.split("\n").filter(Boolean)) {
    const [a, b] = line.slice(2).split(" ~~ ") as [string, string];
    const r = sameMaths(a, b);
    if ((r !== undefined) !== (line[0] === "=")) console.log("BAD", line, r);
  }
});
