import pytest

# What these checks of scikit-learn ask is compiled for each estimator anew.
COMPILING = (
    "check_classifiers_train(readonly_memmap=True,X_dtype=float32)",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_estimators_dtypes",
)


def pytest_collection_modifyitems(items):
    for item in items:
        check = item.name.partition("test_check_estimator[")[2].removesuffix("]")
        if check.endswith(COMPILING):
            item.add_marker(pytest.mark.compiles)
