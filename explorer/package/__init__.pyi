from highwater.explorer.library import Fuzzed as Fuzzed
from highwater.explorer.library import Proved as Proved
from highwater.explorer.library import Result as Result
from highwater.explorer.library import Walked as Walked
from highwater.explorer.library import check as check
from highwater.explorer.library import fuzz as fuzz
from highwater.explorer.library import prove as prove
from highwater.explorer.library import walk as walk
