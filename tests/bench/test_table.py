"""The figures of a benchmark add up."""

from bench.measure import Sample
from bench.table import percentile, rows, shown


def test_percentiles_are_values_that_were_measured() -> None:
    values = [float(n) for n in range(1, 101)]
    assert (percentile(values, 50), percentile(values, 95), percentile([3.0], 95)) == (50.0, 95.0, 3.0)


def test_the_ratio_compares_with_the_reference_of_the_same_run() -> None:
    samples = {
        "saver": Sample(seconds=[0.01, 0.01], wall_s=0.02),
        "http": Sample(seconds=[0.015, 0.015], wall_s=0.03),
    }
    table = rows("greeting", 1, samples, "saver")
    assert [row.ratio for row in table] == [1.0, 1.5]
    assert table[0].per_second == 100.0
    assert len({len(line) for line in shown(table).splitlines()}) == 1
