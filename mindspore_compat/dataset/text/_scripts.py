"""The script of a character (Unicode 14), as a number."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate

#: Starts of scripts: the distance from the last one and the script's number, both to the base 36.
_STARTS = (
    "0.o 1t.1x q.o 6.1x q.o 1b.1x 1.o f.1x 1.o 5.1x n.o 1.1x v.o 1.1x ch.o 13.1x 5.o 5.c 2.o k.1j 34.17 4.o 1.17 3.4a "
    "2.17 4.o 1.17 1.4a 4.17 1.o 1.17 1.o 1.17 3.4a 1.17 1.4a 1.17 k.4a 1.17 1r.p e.17 g.t 3p.1j 2.t 4p.4a 1.4 12.4a "
    "2.4 1e.4a 2.4 3.4a 1.1g 1j.4a 8.1g r.4a 4.1g 6.4a b.3 5.o 1.3 6.o 1.3 e.o 1.3 3.o 1.3 w.o 1.3 a.1j b.3 q.1j 1.3 "
    "30.o 1.3 y.3s e.4a 1.3s 1o.4a 2.3s 3.3 1c.43 1e.4a e.2r 1n.4a 2.2r 3.3g 1a.4a 2.3g f.4a 1.28 s.4a 2.28 1.4a 1.3s "
    "b.4a 5.3 v.4a 1.3 2.4a 6.3 22.o 1.3 t.v 29.1j 4.v f.o 2.v q.a 4.4a 1.a 8.4a 2.a 2.4a 2.a m.4a 1.a 7.4a 1.a 1.4a "
    "3.a 4.4a 2.a 9.4a 2.a 2.4a 2.a 4.4a 8.a 1.4a 4.a 2.4a 1.a 5.4a 2.a p.4a 2.1a 3.4a 1.1a 6.4a 4.1a 2.4a 2.1a m.4a "
    "1.1a 7.4a 1.1a 2.4a 1.1a 2.4a 1.1a 2.4a 2.1a 1.4a 1.1a 5.4a 4.1a 2.4a 2.1a 3.4a 3.1a 1.4a 7.1a 4.4a 1.1a 1.4a "
    "7.1a h.4a a.18 3.4a 1.18 9.4a 1.18 3.4a 1.18 m.4a 1.18 7.4a 1.18 2.4a 1.18 5.4a 2.18 a.4a 1.18 3.4a 1.18 3.4a "
    "2.18 1.4a f.18 4.4a 2.18 c.4a 7.18 7.4a 1.35 3.4a 1.35 8.4a 2.35 2.4a 2.35 m.4a 1.35 7.4a 1.35 2.4a 1.35 5.4a "
    "2.35 9.4a 2.35 2.4a 2.35 3.4a 7.35 3.4a 4.35 2.4a 1.35 5.4a 2.35 i.4a a.3z 2.4a 1.3z 6.4a 3.3z 3.4a 1.3z 4.4a "
    "3.3z 2.4a 1.3z 1.4a 1.3z 2.4a 3.3z 2.4a 3.3z 3.4a 3.3z c.4a 4.3z 5.4a 3.3z 3.4a 1.3z 4.4a 2.3z 1.4a 6.3z 1.4a "
    "e.3z l.4a 5.42 d.4a 1.42 3.4a 1.42 n.4a 1.42 g.4a 2.42 9.4a 1.42 3.4a 1.42 4.4a 7.42 2.4a 1.42 3.4a 2.42 1.4a "
    "2.42 4.4a 2.42 a.4a 7.42 9.1o d.4a 1.1o 3.4a 1.1o n.4a 1.1o a.4a 1.1o 5.4a 2.1o 9.4a 1.1o 3.4a 1.1o 4.4a 7.1o "
    "2.4a 6.1o 2.4a 1.1o 4.4a 2.1o a.4a 1.1o 2.4a d.27 d.4a 1.27 3.4a 1.27 1f.4a 1.27 3.4a 1.27 6.4a 4.27 g.4a 2.27 "
    "q.4a 1.3m 3.4a 1.3m i.4a 3.3m o.4a 1.3m 9.4a 1.3m 1.4a 2.3m 7.4a 3.3m 1.4a 4.3m 6.4a 1.3m 1.4a 1.3m 8.4a 6.3m "
    "a.4a 2.3m 3.4a c.44 1m.4a 4.o 1.44 s.4a 11.1w 2.4a 1.1w 1.4a 1.1w 5.4a 1.1w o.4a 1.1w 1.4a 1.1w n.4a 2.1w 5.4a "
    "1.1w 1.4a 1.1w 6.4a 2.1w a.4a 2.1w 4.4a w.45 20.4a 1.45 10.4a 4.45 13.4a 1.45 10.4a 1.45 f.4a 1.45 7.o 4.45 2.4a "
    "11.2m 4g.13 12.4a 1.13 1.4a 5.13 1.4a 2.13 17.o 1.13 4.1c 74.12 21.4a 1.12 4.4a 2.12 7.4a 1.12 1.4a 1.12 4.4a "
    "2.12 15.4a 1.12 4.4a 2.12 x.4a 1.12 4.4a 2.12 7.4a 1.12 1.4a 1.12 4.4a 2.12 f.4a 1.12 1l.4a 1.12 4.4a 2.12 1v.4a "
    "2.12 w.4a 3.12 q.4a 6.m 2e.4a 2.m 6.4a 2.h hs.2u t.4a 3.3f 23.o 3.3f b.4a 7.3t m.4a 9.3t 1.1e l.o 2.4a 9.g k.4a "
    "c.3u d.4a 1.3u 3.4a 1.3u 2.4a c.1t 2m.4a 2.1t a.4a 6.1t a.4a 6.2j 2.o 2.2j 1.o 1.2j k.4a 6.2j 2h.4a 7.2j 17.4a "
    "5.h 1y.4a a.1z v.4a 1.1z c.4a 4.1z c.4a 4.1z 1.4a 3.1z c.3v u.4a 2.3v 5.4a b.2p 18.4a 4.2p q.4a 6.2p b.4a 3.2p "
    "2.1t w.f s.4a 2.f 2.3w 1r.4a 1.3w t.4a 2.3w b.4a 6.3w a.4a 6.3w e.4a 2.1j v.4a 1d.6 25.4a 3.6 1b.4a 1.3q 1s.9 "
    "1g.4a 8.9 4.1y 1k.4a 3.1y f.4a 3.1y 3.2v 1c.t 9.4a 7.13 17.4a 2.13 3.3q 8.4a 8.1j 3.o 1.1j d.o 1.1j 7.o 4.1j 1.o "
    "6.1j 1.o 3.1j 2.o 1.4a 5.1x 12.17 5.t 1.1x 1d.17 5.1x 4.17 5.1x d.t 1.1x 1y.17 1.1j 1s.1x 74.17 m.4a 2.17 6.4a "
    "2.17 12.4a 2.17 6.4a 2.17 8.4a 1.17 1.4a 1.17 1.4a 1.17 1.4a 1.17 v.4a 2.17 1h.4a 1.17 f.4a 1.17 e.4a 2.17 6.4a "
    "1.17 j.4a 2.17 3.4a 1.17 9.4a 1.o c.1j 2.o 2f.4a 1.o b.1x 1.4a 2.o b.1x 1.o f.4a 1.1x d.4a 3.o x.4a f.1j x.4a f.o "
    "12.17 1.o 3.1x 2.o 6.1x 1.o r.1x 1.o h.1x 15.o 3.4a 4.o if.4a p.o b.4a l.o ps.e 74.o hg.4a 2.o w.4a 1.o 2x.14 "
    "2o.1x w.p 38.4a 5.p 7.13 12.4a 1.13 1.4a 5.13 1.4a 2.46 1k.4a 7.46 2.4a e.46 1.12 n.4a 9.12 7.4a 1.12 7.4a 1.12 "
    "7.4a 1.12 7.4a 1.12 7.4a 1.12 7.4a 1.12 7.4a 1.12 7.4a 1.t w.o 2m.4a y.1b q.4a 1.1b 2h.4a c.1b 5y.4a q.o c.4a 4.o "
    "5.1b 1.o 1.1b 1.o p.1b 9.1j 4.1c 2.o 8.1b 4.o 4.4a 1.1h 2e.4a 2.1j 2.o 2.1h 3.o 1.1p 2i.o 2.1p 3.4a 5.c 17.4a "
    "1.1c 2m.4a 1.o g.c w.o 10.4a c.1p g.1c v.4a 1.o 1s.1c v.o 29.1p 1b.o 1.1p 2g.o 4o.1b 534.o 1s.1b g74.4g wd.4a "
    "3.4g 1j.4a 9.22 1c.4b 8c.4a k.t 2o.7 2g.4a 8.o y.1x 2u.o 3.1x 1s.4a 5.1x 2.4a 1.1x 1.4a 1.1x 5.4a o.1x e.3r 19.4a "
    "3.o a.4a 6.3b 1k.4a 8.3h 1y.4a 8.3h c.4a 6.v w.1q 1a.o 1.1q 1.3e 10.4a b.3e 1.1c t.4a 3.1m 26.4a 1.o 1.1m a.4a "
    "4.1m 2.2m v.4a 1.l 1j.4a 9.l e.4a 2.l a.4a 2.l 4.2m w.3x 1v.4a o.3x 5.2d n.4a a.12 6.4a 2.12 6.4a 2.12 6.4a 9.12 "
    "7.4a 1.12 7.4a 1.1x 17.o 1.1x 9.17 1.1x 4.o 2.4a 4.m 28.2d 1a.4a 2.2d a.4a 6.1c 8mc.4a c.1c n.4a 4.1c 1d.4a "
    "6is.1b a6.4a 2.1b 2y.4a 12.1x 7.4a c.4 5.4a 5.1g q.4a 1.1g 5.4a 1.1g 1.4a 1.1g 2.4a 1.1g 2.4a 1.1g a.3 37.4a g.3 "
    "a3.o 2.3 28.4a 2.3 1i.4a 7.3 1.4a w.3 g.1j g.o a.4a 6.1j e.t 2.o z.4a 1.o j.4a 1.o 4.4a 4.3 5.4a 1.3 3r.4a 2.o "
    "1.4a 1.o w.1x q.o 6.1x q.o b.1p a.o 1.1p 19.o 2.1c v.4a 3.1c 6.4a 2.1c 6.4a 2.1c 6.4a 2.1c 3.4a 3.o 7.4a 1.o 7.4a "
    "a.o 5.4a 2.21 c.4a 1.21 q.4a 1.21 j.4a 1.21 2.4a 1.21 f.4a 2.21 e.4a y.21 3f.4a 5.o 3.4a 4.o 19.4a 3.o 9.17 27.4a "
    "1.o d.4a 3.17 1.4a 1b.o 19.1j 1.4a 3m.23 t.4a 3.i 1d.4a f.1j 1.o r.4a 4.2x 10.4a 9.2x 3.15 r.4a 5.2z 17.4a 5.49 "
    "u.4a 1.49 1.30 10.4a 4.30 e.4a 16.u 28.3j 1c.37 u.4a 2.37 a.4a 6.36 10.4a 4.36 10.4a 4.10 14.4a 8.j 1g.4a b.j "
    "1.4c b.4a 1.4c f.4a 1.4c 7.4a 1.4c 2.4a 1.4c b.4a 1.4c f.4a 1.4c 7.4a 1.4c 2.4a 1v.20 8n.4a 9.20 m.4a a.20 8.4a "
    "o.1x 6.4a 1.1x 16.4a 1.1x 9.4a 1x.r 6.4a 2.r 1.4a 1.r 18.4a 1.r 2.4a 3.r 1.4a 2.r 1.1i m.4a 1.1i 9.39 w.2n v.4a "
    "8.2n 9.4a 1c.1f j.4a 1.1f 2.4a 5.1f 5.3c s.4a 3.3c 1.24 q.4a 5.24 1.4a 1s.2g w.2f o.4a 4.2f k.4a 2.2f 1a.1r 4.4a "
    "1.1r 2.4a 5.1r 8.4a 1.1r 3.4a 1.1r t.4a 2.1r 3.4a 4.1r a.4a 7.1r 9.4a 7.32 w.2y w.4a w.29 13.4a 4.29 c.4a 9.5 "
    "1i.4a 3.5 7.1l m.4a 2.1l 8.1k j.4a 5.1k 8.3d i.4a 7.3d 4.4a c.3d 7.4a 28.33 21.4a 1j.2w 1f.4a d.2w 1f.4a 7.2w "
    "6.1d 14.4a 8.1d a.4a 86.3 v.4a 1.4f 16.4a 1.4f 3.4a 2.4f 2.4a 26.31 14.4a 8.3n 16.4a m.34 q.4a 12.n s.4a k.11 "
    "n.4a 9.d 26.4a 4.d 10.4a 9.d 1.1n 1v.4a a.1n 1.4a 2.3o p.4a 7.3o a.4a 6.k 1h.4a 1.k i.4a 8.25 13.4a 9.3i 2o.4a "
    "1.3m k.4a b.1u i.4a 1.1u 18.4a 1t.2l 7.4a 1.2l 1.4a 1.2l 4.4a 1.2l f.4a 1.2l b.4a 6.1v 1n.4a 5.1v a.4a 6.16 4.4a "
    "1.16 8.4a 2.16 2.4a 2.16 m.4a 1.16 7.4a 1.16 2.4a 1.16 5.4a 1.1j 1.16 9.4a 2.16 2.4a 2.16 3.4a 2.16 1.4a 6.16 "
    "1.4a 5.16 7.4a 2.16 7.4a 3.16 5.4a 3v.2q 2k.4a 1.2q 5.4a u.47 20.4a 8.47 a.4a 4m.3k 1i.4a 2.3k 12.4a y.2i 1x.4a "
    "b.2i a.4a 6.2j d.4a j.3y 1m.4a 6.3y a.4a 1i.1 r.4a 2.1 f.4a 4.1 n.4a 55.x 1o.4a 2s.4e 2b.4a c.4e 1.w 7.4a 2.w "
    "1.4a 2.w 8.4a 1.w 2.4a 1.w u.4a 1.w 2.4a 2.w c.4a 9.w a.4a 1y.2o 8.4a 2.2o 1a.4a 2.2o b.4a r.4h 20.4a 8.3p 2b.4a "
    "d.h g.3a 1l.4a 7b.b 9.4a 1.b 19.4a 1.b e.4a a.b t.4a 3.2a w.4a 2.2a m.4a 1.2a e.4a 21.2b 7.4a 1.2b 2.4a 1.2b "
    "18.4a 3.2b 1.4a 1.2b 2.4a 1.2b 9.4a 8.2b a.4a 6.19 6.4a 1.19 2.4a 1.19 11.4a 1.19 2.4a 1.19 6.4a 7.19 a.4a 8m.26 "
    "p.4a 53.22 1.4a f.3z 1e.4a d.3z 1.q pm.4a 2u.q 33.4a 1.q 5.4a b.q 5g.4a 218.s 2r.4a d.z tr.4a 1.z 9.4a 347.2 "
    "g7.4a 6nt.7 ft.4a 7.2k v.4a 1.2k a.4a 4.2k 2.40 27.4a 1.40 a.4a 6.8 u.4a 2.8 6.4a a.38 1y.4a a.38 a.4a 1.38 7.4a "
    "1.38 l.4a 5.38 j.4a j4.2c 2j.4a 2t.2h 23.4a 4.2h 1l.4a 7.2h h.4a 1s.41 1.2s 1.1b 2.1s 1.4a b.1b 2.4a e.41 4qg.4a "
    "8.41 lc.1s d2.4a 16.41 9.4a 6w7.1p 4.4a 1.1p 7.4a 1.1p 2.4a 1.1p 1.1h 7z.1p 3.4a 19.1h 3.4a h.1p 4.4a 8.2s b0.4a "
    "1s4.y 2z.4a 5.y d.4a 3.y 9.4a 7.y a.4a 2.y 4.o 4.4a 3mk.1j 1a.4a 2.1j n.4a 9.o 38.4a 1o.o 6u.4a a.o 13.4a 2.o "
    "1q.1j 3.o h.1j 8.o 2.1j 7.o u.1j 4.o 1p.4a l.17 1y.4a 4a.o k.4a c.o 2f.4a 9.o p.4a 3r.o 2d.4a 1.o 1z.4a 1.o 2.4a "
    "2.o 1.4a 2.o 2.4a 2.o 4.4a 1.o c.4a 1.o 1.4a 1.o 7.4a 1.o 1t.4a 1.o 4.4a 2.o 8.4a 1.o 7.4a 1.o s.4a 1.o 4.4a 1.o "
    "5.4a 1.o 1.4a 3.o 7.4a 1.o 9g.4a 2.o 84.4a 2.o 1e.3l i4.4a f.3l 5.4a 1.3l f.4a uo.1x v.4a 69.14 7.4a 1.14 h.4a "
    "2.14 7.4a 1.14 2.4a 1.14 5.4a 5x.2t 19.4a 3.2t e.4a 2.2t a.4a 4.2t 2.4a 8w.48 v.4a h.4d 1m.4a 5.4d 1.4a yo.12 "
    "7.4a 1.12 4.4a 1.12 2.4a 1.12 f.4a 1.2e 5h.4a 2.2e g.4a 15.0 24.4a 4.0 a.4a 4.0 2.4a lt.o 1w.4a 24.o 1p.4a 5e.3 "
    "4.4a 1.3 r.4a 1.3 2.4a 1.3 1.4a 2.3 1.4a 1.3 a.4a 1.3 4.4a 1.3 1.4a 1.3 1.4a 6.3 1.4a 4.3 1.4a 1.3 1.4a 1.3 1.4a "
    "1.3 3.4a 1.3 2.4a 1.3 1.4a 2.3 1.4a 1.3 1.4a 1.3 1.4a 1.3 1.4a 1.3 1.4a 1.3 2.4a 1.3 1.4a 2.3 4.4a 1.3 7.4a 1.3 "
    "4.4a 1.3 4.4a 1.3 1.4a 1.3 a.4a 1.3 h.4a 5.3 3.4a 1.3 5.4a 1.3 h.4a 1g.3 2.4a 7i.o 18.4a 4.o 2s.4a c.o f.4a 2.o "
    "f.4a 1.o f.4a 1.o 11.4a a.o 4u.4a 1k.o q.1h 1.o 2.4a d.o 18.4a 4.o 9.4a 7.o 2.4a e.o 6.4a 4a.o rc.4a 5.o g.4a 3.o "
    "d.4a 3.o 38.4a c.o 2h.4a 7.o c.4a 4.o 1.4a f.o c.4a 4.o 1k.4a 8.o a.4a 6.o 14.4a 8.o u.4a 2.o 2.4a 26.o 9g.4a c.o "
    "e.4a 2.o 5.4a 3.o 5.4a 3.o 7.4a 9.o t.4a 3.o b.4a 5.o 6.4a a.o a.4a 6.o 8.4a 8.o 7.4a 9.o 43.4a 1.o 1j.4a 11.o "
    "a.4a sm.1b wyo.4a w.1b 37d.4a 7.1b 66.4a 2.1b 4g2.4a e.1b 5rl.4a 2e7.1b f2.4a 15u.1b 3t7.4a fcfq.o 1.4a u.o 2o.4a "
    "3k.1j 6o.4a 47bk.4a"
)


@lru_cache
def _table() -> tuple[list[int], list[int]]:
    pairs = [part.split(".") for part in _STARTS.split()]
    return list(accumulate(int(step, 36) for step, _ in pairs)), [int(script, 36) for _, script in pairs]


def script_of(character: str) -> int:
    """Return the number of a character's script."""
    starts, scripts = _table()
    return scripts[bisect_right(starts, ord(character)) - 1]
