import pytest

# What these checks of scikit-learn ask of the other estimators is compiled for each of them anew.
COMPILING = (
    "check_classifiers_train(readonly_memmap=True,X_dtype=float32)",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_estimators_dtypes",
)


def pytest_collection_modifyitems(items):
    for item in items:
        check = item.name.partition("test_check_estimator[")[2].removesuffix("]")
        if check.endswith(COMPILING) and not check.startswith("Perceptron()"):
            item.add_marker(pytest.mark.compiles)
