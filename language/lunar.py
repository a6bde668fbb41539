"""From a day of the Chinese lunar calendar to a date, for the years 1990 to 2060."""

from datetime import date, timedelta

from language.stretch import OutOfCalendar

FIRST_YEAR = 1990
_MONTHS = 12
# Of each year: month and day of its first day, the month that a leap month follows (0: none), and one bit for each
# month in order, the first one lowest, set where the month has 30 days instead of 29.
_YEARS = """
127.5.1e92 215.0.e92 204.0.d26 123.3.a56 210.0.a57 131.8.14d6 219.0.35a 207.0.6d5 128.5.16c9 216.0.749 205.0.693
124.4.152b 212.0.52b 201.0.a5b 122.2.155a 209.0.56a 129.7.1b55 218.0.ba4 207.0.b49 126.5.1a93 214.0.a95 203.0.52d
123.4.aad 210.0.ab5 131.9.15aa 219.0.5d2 208.0.da5 128.6.1d4a 216.0.d4a 205.0.c95 125.4.152e 212.0.556 201.0.ab5
122.2.15b2 210.0.6d2 129.6.ea5 217.0.725 206.0.64b 126.5.c97 213.0.cab 203.0.55a 123.3.ad6 211.0.b69 131.11.1752
219.0.b52 208.0.b25 128.6.1a4b 215.0.a4b 204.0.4ab 124.5.55b 212.0.5ad 201.0.b6a 122.2.1b52 210.0.d92 130.7.1d25
217.0.d25 206.0.a55 126.5.14ad 214.0.4b6 202.0.5b5 123.3.daa 211.0.ec9 201.8.1e92 219.0.e92 208.0.d26 128.6.a56
215.0.a57 204.0.556 124.4.6d5 212.0.755 202.0.749
"""


def from_lunar(year: int, month: int, number: int) -> date:
    """Raises OutOfCalendar for years beyond the table and days that the month does not have. Never a leap month."""
    rows = _YEARS.split()
    if not 0 <= year - FIRST_YEAR < len(rows) or not 1 <= month <= _MONTHS or number < 1:
        raise OutOfCalendar
    first, leap, bits = rows[year - FIRST_YEAR].split(".")
    lengths = [29 + (int(bits, 16) >> index & 1) for index in range(13)]
    index = month - 1 + (0 < int(leap) < month)
    if number > lengths[index]:
        raise OutOfCalendar
    new_year = date(year, int(first) // 100, int(first) % 100)
    return new_year + timedelta(days=sum(lengths[:index]) + number - 1)
