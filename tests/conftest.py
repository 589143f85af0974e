import sys
from pathlib import Path

import jax.monitoring
import pytest
from hypothesis import settings

# `import oracles` works from every folder of tests.
sys.path.insert(0, str(Path(__file__).parent))

# No deadlines: cores are shared, and a first call compiles.
settings.register_profile("scaletx", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("scaletx")


@pytest.fixture
def compiles():
    """Names of the backend compilations since the test began, one entry each."""
    events = []

    def listen(name, seconds, **_):
        if name == "/jax/core/compile/backend_compile_duration":
            events.append(seconds)

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield events
    jax.monitoring.unregister_event_duration_listener(listen)
